/* Operations on columns of text for octets.py and numerals.py: one pass over a block replaces many.
 *
 * They read the bytes of a block, with the shape of its lines or int64 arrays of the places and
 * sizes of its cells, and write to arrays that the caller made. Without a compiler at installation,
 * kernel.py returns the same values. No content leads to a read outside the block: a place outside
 * it raises IndexError.
 *
 * Only the stable API of CPython 3.11 is used.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef int64_t i64;
typedef uint64_t u64;
typedef unsigned char byte;

/* The plain reader reads numbers of more than 19 digits, and those from here on. */
#define INTEGER_END 9220000000000000000ULL
#define EXACT_END (1LL << 53)

static const i64 POWERS[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Return whether a buffer has `count` items of `width` bytes; raise ValueError if not. */
static int holds_items(const Py_buffer *view, Py_ssize_t count, Py_ssize_t width)
{
    if (view->len == count * width)
        return 1;
    PyErr_SetString(PyExc_ValueError, "arrays of different lengths");
    return 0;
}

static int lies_inside(Py_ssize_t size, i64 start, i64 length)
{
    return start >= 0 && length >= 0 && start <= size && length <= size - start;
}

static int spans_inside(Py_ssize_t size, i64 start, i64 end)
{
    return start >= 0 && start <= end && end <= size;
}

static PyObject *outside(void)
{
    PyErr_SetString(PyExc_IndexError, "a cell lies outside of the block");
    return NULL;
}

static PyObject *release(Py_buffer *views, int count, PyObject *result)
{
    for (int i = 0; i < count; i++)
        PyBuffer_Release(&views[i]);
    return result;
}

static PyObject *none(void)
{
    return Py_NewRef(Py_None);
}

/* count(data, byte) -> int */
static PyObject *count(PyObject *self, PyObject *args)
{
    Py_buffer view;
    byte wanted;
    if (!PyArg_ParseTuple(args, "y*b", &view, &wanted))
        return NULL;
    const byte *data = view.buf;
    Py_ssize_t found = 0;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < view.len; i++)
        found += data[i] == wanted;
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&view);
    return PyLong_FromSsize_t(found);
}

/* find_all(data, byte, places): the places of a byte, which `count` has counted. */
static PyObject *find_all(PyObject *self, PyObject *args)
{
    Py_buffer views[2];
    byte wanted;
    if (!PyArg_ParseTuple(args, "y*bw*", &views[0], &wanted, &views[1]))
        return NULL;
    const byte *data = views[0].buf, *end = data + views[0].len, *at = data;
    i64 *places = views[1].buf, *last = places + views[1].len / (Py_ssize_t)sizeof(i64);
    Py_BEGIN_ALLOW_THREADS
    while (places < last && (at = memchr(at, wanted, (size_t)(end - at)))) {
        *places++ = at - data;
        at++;
    }
    Py_END_ALLOW_THREADS
    if (places != last) {
        PyErr_SetString(PyExc_ValueError, "the byte occurs less often than there are places");
        return release(views, 2, NULL);
    }
    return release(views, 2, none());
}

/* find_first(data, starts, byte, limit, lengths): the distance from each start to the next such
 * byte. */
static PyObject *find_first(PyObject *self, PyObject *args)
{
    Py_buffer views[3];
    byte wanted;
    Py_ssize_t limit;
    if (!PyArg_ParseTuple(args, "y*y*bnw*", &views[0], &views[1], &wanted, &limit, &views[2]))
        return NULL;
    Py_ssize_t size = views[0].len, rows = views[1].len / (Py_ssize_t)sizeof(i64), row = 0;
    if (!holds_items(&views[2], rows, sizeof(i64)))
        return release(views, 3, NULL);
    const byte *data = views[0].buf;
    const i64 *starts = views[1].buf;
    i64 *lengths = views[2].buf;
    Py_BEGIN_ALLOW_THREADS
    for (; row < rows && lies_inside(size, starts[row], limit); row++) {
        const byte *at = data + starts[row];
        Py_ssize_t length = 0;
        while (length < limit && at[length] != wanted)
            length++;
        lengths[row] = length;
    }
    Py_END_ALLOW_THREADS
    return release(views, 3, row < rows ? outside() : none());
}

/* Compare AT_ONCE bytes with one: a bit for each that is equal, and the place of the lowest. */
#if defined(__SSE2__)
#define AT_ONCE 16
#define BIT(place) (1ULL << (place))

static u64 match_bytes(const byte *at, byte wanted)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)at);
    return (u64)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)wanted)));
}
#else
#define AT_ONCE 8
#define BIT(place) (0x80ULL << 8 * (place))
#define EACH(byte) ((u64)(byte) * 0x0101010101010101ULL)

static u64 match_bytes(const byte *at, byte wanted)
{
    u64 word;
    memcpy(&word, at, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    word ^= EACH(wanted);
    return ~(((word & EACH(0x7F)) + EACH(0x7F)) | word | EACH(0x7F));
}
#endif

static int lowest(u64 bits)
{
#if defined(__GNUC__)
    int place = __builtin_ctzll(bits);
#else
    int place = 0;
    for (; !(bits & 1); bits >>= 1)
        place++;
#endif
    return AT_ONCE == 8 ? place >> 3 : place;
}

/* holds(data, starts, text, equal): which cells begin with a text. */
static PyObject *holds(PyObject *self, PyObject *args)
{
    Py_buffer views[4];
    if (!PyArg_ParseTuple(args, "y*y*y*w*", &views[0], &views[1], &views[2], &views[3]))
        return NULL;
    Py_ssize_t size = views[0].len, rows = views[1].len / (Py_ssize_t)sizeof(i64), row = 0;
    if (!holds_items(&views[3], rows, 1))
        return release(views, 4, NULL);
    const byte *data = views[0].buf;
    const i64 *starts = views[1].buf;
    Py_ssize_t length = views[2].len;
    byte *equal = views[3].buf;
    Py_BEGIN_ALLOW_THREADS
    for (; row < rows && lies_inside(size, starts[row], length); row++)
        equal[row] = !memcmp(data + starts[row], views[2].buf, (size_t)length);
    Py_END_ALLOW_THREADS
    return release(views, 4, row < rows ? outside() : none());
}

/* repeats(data, starts, sizes, equal): which cells equal the previous cell. */
static PyObject *repeats(PyObject *self, PyObject *args)
{
    Py_buffer views[4];
    if (!PyArg_ParseTuple(args, "y*y*y*w*", &views[0], &views[1], &views[2], &views[3]))
        return NULL;
    Py_ssize_t size = views[0].len, rows = views[1].len / (Py_ssize_t)sizeof(i64), row = 0;
    if (!holds_items(&views[2], rows, sizeof(i64)) || !holds_items(&views[3], rows, 1))
        return release(views, 4, NULL);
    const byte *data = views[0].buf;
    const i64 *starts = views[1].buf, *sizes = views[2].buf;
    byte *equal = views[3].buf;
    Py_BEGIN_ALLOW_THREADS
    for (; row < rows && lies_inside(size, starts[row], sizes[row]); row++)
        equal[row] = row && sizes[row] == sizes[row - 1]
            && !memcmp(data + starts[row], data + starts[row - 1], (size_t)sizes[row]);
    Py_END_ALLOW_THREADS
    return release(views, 4, row < rows ? outside() : none());
}

/* Read decimal digits; return 0 if a byte is not a digit. */
static int read_digits(const byte *at, Py_ssize_t length, u64 *number)
{
    u64 sum = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)at[i] - '0';
        if (digit > 9)
            return 0;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return 1;
}

/* read_integers(data, starts, lengths, numbers, good) */
static PyObject *read_integers(PyObject *self, PyObject *args)
{
    Py_buffer views[5];
    if (!PyArg_ParseTuple(
            args, "y*y*y*w*w*", &views[0], &views[1], &views[2], &views[3], &views[4]))
        return NULL;
    Py_ssize_t size = views[0].len, rows = views[1].len / (Py_ssize_t)sizeof(i64), row = 0;
    if (!holds_items(&views[2], rows, sizeof(i64)) || !holds_items(&views[3], rows, sizeof(i64))
        || !holds_items(&views[4], rows, 1))
        return release(views, 5, NULL);
    const byte *data = views[0].buf;
    const i64 *starts = views[1].buf, *lengths = views[2].buf;
    i64 *numbers = views[3].buf;
    byte *good = views[4].buf;
    Py_BEGIN_ALLOW_THREADS
    for (; row < rows; row++) {
        i64 length = lengths[row];
        u64 number = 0;
        good[row] = 0;
        if (length >= 1 && length <= 19) {
            if (!lies_inside(size, starts[row], length))
                break;
            good[row] = read_digits(data + starts[row], length, &number) && number < INTEGER_END;
        }
        numbers[row] = good[row] ? (i64)number : 0;
    }
    Py_END_ALLOW_THREADS
    return release(views, 5, row < rows ? outside() : none());
}

/* Read a JSON number with at most 8 digits before and after its point. */
static int read_decimal(const byte *at, i64 length, i64 *digits, i64 *places)
{
    i64 point = 0;
    while (point < length && point < 9 && at[point] != '.')
        point++;
    i64 behind = length > point ? length - point - 1 : 0;
    if (point < 1 || point > 8 || behind > 8 || point + 1 == length
        || (point > 1 && at[0] == '0'))
        return 0;
    u64 whole, part = 0;
    if (!read_digits(at, point, &whole) || !read_digits(at + length - behind, behind, &part))
        return 0;
    *digits = (i64)whole * POWERS[behind] + (i64)part;
    *places = behind;
    return *digits < EXACT_END;
}

/* A cell of a line: the text before it, the byte that ends it (a line's last cell ends with the
 * line), and its kind: 'i' an integer and its number of digits; 'd' the digits and decimal places
 * of a number, or the place and negative size of another text; 't' the place and size of a text;
 * '-' ignored. */
typedef struct {
    const byte *text;
    i64 size;
    byte kind, end;
} Cell;

#define MOST_CELLS 64

/* Read a shape: for each cell its kind, its end, and the size and bytes of the text before it. */
static Py_ssize_t read_shape(const Py_buffer *view, Cell *cells, Py_ssize_t *kept)
{
    const byte *at = view->buf, *end = at + view->len;
    Py_ssize_t count = 0;
    for (*kept = 0; count < MOST_CELLS && end - at >= 3 && end - at - 3 >= at[2]; count++) {
        cells[count] = (Cell){at + 3, at[2], at[0], at[1]};
        *kept += at[0] != '-';
        at += 3 + at[2];
    }
    return at == end ? count : 0;
}

/* The places of a byte in the piece of a block that begins at `base`. */
typedef struct {
    const byte *data;
    i64 size, base;
    u64 hits;
    byte wanted;
} Scan;

static void look_at(Scan *scan, i64 base, byte wanted)
{
    scan->base = base, scan->wanted = wanted, scan->hits = 0;
    if (base + AT_ONCE <= scan->size)
        scan->hits = match_bytes(scan->data + base, wanted);
    else
        for (i64 i = base; i < scan->size; i++)
            if (scan->data[i] == wanted)
                scan->hits |= BIT(i - base);
}

/* Return the first place of a byte from `at` on, or `end`. */
static i64 find_end(Scan *scan, i64 at, i64 end, byte wanted)
{
    if (wanted == '\n' || at >= end)
        return end;
    if (wanted != scan->wanted || at < scan->base || at >= scan->base + AT_ONCE)
        look_at(scan, at, wanted);
    else if (at > scan->base)
        scan->hits &= ~(BIT(at - scan->base) - 1);
    while (!scan->hits && scan->base + AT_ONCE < end)
        look_at(scan, scan->base + AT_ONCE, wanted);
    i64 place = scan->hits ? scan->base + lowest(scan->hits) : end;
    return place < end ? place : end;
}

/* Read the cells of one line; `number` and `more` have a row for each cell that is kept. */
static int read_line(Scan *scan, i64 at, i64 end, const Cell *cells, Py_ssize_t count,
    i64 *number, i64 *more, Py_ssize_t rows)
{
    const byte *data = scan->data;
    for (Py_ssize_t i = 0; i < count; i++) {
        const Cell *cell = &cells[i];
        if (cell->size > end - at || (cell->size && data[at] != *cell->text)
            || (cell->size > 1 && memcmp(data + at, cell->text, (size_t)cell->size)))
            return 0;
        at += cell->size;
        i64 length = find_end(scan, at, end, cell->end) - at;
        if ((at + length == end) != (i == count - 1))
            return 0;
        if (cell->kind == 'i') {
            u64 whole = 0;
            if (length < 1 || length > 19 || !read_digits(data + at, length, &whole)
                || whole >= INTEGER_END)
                return 0;
            *number = (i64)whole, *more = length;
        } else if (cell->kind == 'd' && !length) {
            return 0;
        } else if (cell->kind == 't' || (cell->kind == 'd'
                && !read_decimal(data + at, length, number, more))) {
            *number = at, *more = cell->kind == 't' ? length : -length;
        }
        if (cell->kind != '-')
            number += rows, more += rows;
        at += length;
    }
    return 1;
}

/* read_lines(data, first, end, shape, starts, ends, numbers, more, good) -> int: the number of
 * lines between two places; for each its start and end, its cells, and whether it has the shape. */
static PyObject *read_lines(PyObject *self, PyObject *args)
{
    Py_buffer views[7];
    Py_ssize_t first, end, kept, row = 0;
    if (!PyArg_ParseTuple(args, "y*nny*w*w*w*w*w*", &views[0], &first, &end, &views[1], &views[2],
            &views[3], &views[4], &views[5], &views[6]))
        return NULL;
    Py_ssize_t rows = views[2].len / (Py_ssize_t)sizeof(i64);
    Cell cells[MOST_CELLS];
    Py_ssize_t count = read_shape(&views[1], cells, &kept);
    if (!count) {
        PyErr_SetString(PyExc_ValueError, "not the shape of a line");
        return release(views, 7, NULL);
    }
    if (!holds_items(&views[3], rows, sizeof(i64))
        || !holds_items(&views[4], rows * kept, sizeof(i64))
        || !holds_items(&views[5], rows * kept, sizeof(i64)) || !holds_items(&views[6], rows, 1))
        return release(views, 7, NULL);
    if (!spans_inside(views[0].len, first, end))
        return release(views, 7, outside());
    const byte *data = views[0].buf;
    i64 *starts = views[2].buf, *ends = views[3].buf, *numbers = views[4].buf;
    i64 *more = views[5].buf, at = first;
    byte *good = views[6].buf;
    Scan scan = {data, end, -AT_ONCE, 0, 0};
    Py_BEGIN_ALLOW_THREADS
    for (; row < rows && at < end; row++, at = ends[row - 1] + 1) {
        const byte *stop = memchr(data + at, '\n', (size_t)(end - at));
        starts[row] = at;
        ends[row] = stop ? stop - data : end;
        good[row] = (byte)read_line(
            &scan, at, ends[row], cells, count, numbers + row, more + row, rows);
    }
    Py_END_ALLOW_THREADS
    return release(views, 7, PyLong_FromSsize_t(row));
}

/* read_decimals(data, starts, lengths, digits, places, good) */
static PyObject *read_decimals(PyObject *self, PyObject *args)
{
    Py_buffer views[6];
    if (!PyArg_ParseTuple(args, "y*y*y*w*w*w*", &views[0], &views[1], &views[2], &views[3],
            &views[4], &views[5]))
        return NULL;
    Py_ssize_t size = views[0].len, rows = views[1].len / (Py_ssize_t)sizeof(i64), row = 0;
    if (!holds_items(&views[2], rows, sizeof(i64)) || !holds_items(&views[3], rows, sizeof(i64))
        || !holds_items(&views[4], rows, sizeof(i64)) || !holds_items(&views[5], rows, 1))
        return release(views, 6, NULL);
    const byte *data = views[0].buf;
    const i64 *starts = views[1].buf, *lengths = views[2].buf;
    i64 *digits = views[3].buf, *places = views[4].buf;
    byte *good = views[5].buf;
    Py_BEGIN_ALLOW_THREADS
    for (; row < rows && lies_inside(size, starts[row], lengths[row]); row++) {
        good[row] = (byte)read_decimal(
            data + starts[row], lengths[row], &digits[row], &places[row]);
        if (!good[row])
            digits[row] = places[row] = 0;
    }
    Py_END_ALLOW_THREADS
    return release(views, 6, row < rows ? outside() : none());
}

/* Keys of the hash, drawn at import, so that no file can be written with colliding texts. */
static u64 KEYS[2];

static u64 rotate(u64 word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static void mix(u64 state[4])
{
    state[0] += state[1], state[2] += state[3];
    state[1] = rotate(state[1], 13) ^ state[0], state[3] = rotate(state[3], 16) ^ state[2];
    state[0] = rotate(state[0], 32);
    state[2] += state[1], state[0] += state[3];
    state[1] = rotate(state[1], 17) ^ state[2], state[3] = rotate(state[3], 21) ^ state[0];
    state[2] = rotate(state[2], 32);
}

static void take_word(u64 state[4], u64 word)
{
    state[3] ^= word;
    mix(state);
    state[0] ^= word;
}

/* SipHash-1-3, as Python hashes texts. */
static u64 hash_text(const byte *at, i64 length)
{
    u64 state[4] = {KEYS[0] ^ 0x736F6D6570736575ULL, KEYS[1] ^ 0x646F72616E646F6DULL,
        KEYS[0] ^ 0x6C7967656E657261ULL, KEYS[1] ^ 0x7465646279746573ULL};
    u64 word, last = (u64)length << 56;
    for (; length >= 8; at += 8, length -= 8) {
        memcpy(&word, at, 8);
        take_word(state, word);
    }
    for (; length > 0; length--)
        last |= (u64)at[length - 1] << 8 * (length - 1);
    take_word(state, last);
    state[2] ^= 0xFF;
    mix(state), mix(state), mix(state);
    return state[0] ^ state[1] ^ state[2] ^ state[3];
}

/* A hash table of the distinct texts of a column, with open addressing; a slot holds label + 1. */
typedef struct {
    u64 *hashes; /* of each label */
    i64 *firsts; /* the row of each label */
    i64 *slots;
    i64 count, room, mask;
} Table;

static int make_room(Table *table)
{
    i64 room = table->room ? table->room * 2 : 256, mask = room * 4 - 1;
    u64 *hashes = realloc(table->hashes, (size_t)room * sizeof(u64));
    if (hashes)
        table->hashes = hashes;
    i64 *firsts = realloc(table->firsts, (size_t)room * sizeof(i64));
    if (firsts)
        table->firsts = firsts;
    i64 *slots = calloc((size_t)mask + 1, sizeof(i64));
    if (!hashes || !firsts || !slots) {
        free(slots);
        return 0;
    }
    for (i64 label = 0; label < table->count; label++) {
        u64 at = hashes[label];
        while (slots[at & (u64)mask])
            at++;
        slots[at & (u64)mask] = label + 1;
    }
    free(table->slots);
    table->slots = slots, table->room = room, table->mask = mask;
    return 1;
}

/* group_equal(data, starts, sizes, labels) -> bytes: the first row of each label, as int64 */
static PyObject *group_equal(PyObject *self, PyObject *args)
{
    Py_buffer views[4];
    if (!PyArg_ParseTuple(args, "y*y*y*w*", &views[0], &views[1], &views[2], &views[3]))
        return NULL;
    Py_ssize_t size = views[0].len, rows = views[1].len / (Py_ssize_t)sizeof(i64), row = 0;
    if (!holds_items(&views[2], rows, sizeof(i64)) || !holds_items(&views[3], rows, sizeof(i64)))
        return release(views, 4, NULL);
    const byte *data = views[0].buf;
    const i64 *starts = views[1].buf, *sizes = views[2].buf;
    i64 *labels = views[3].buf;
    Table table = {0};
    int has_room = 1;
    Py_BEGIN_ALLOW_THREADS
    for (; row < rows && lies_inside(size, starts[row], sizes[row]); row++) {
        const byte *text = data + starts[row];
        i64 length = sizes[row];
        if (row && length == sizes[row - 1]
            && !memcmp(text, data + starts[row - 1], (size_t)length)) {
            labels[row] = labels[row - 1];
            continue;
        }
        if (table.count == table.room && !(has_room = make_room(&table)))
            break;
        u64 hash = hash_text(text, length), at = hash;
        for (;; at++) {
            i64 label = table.slots[at & (u64)table.mask] - 1;
            if (label < 0) {
                label = table.count++;
                table.slots[at & (u64)table.mask] = label + 1;
                table.hashes[label] = hash;
                table.firsts[label] = row;
            } else if (table.hashes[label] != hash || sizes[table.firsts[label]] != length
                || memcmp(text, data + starts[table.firsts[label]], (size_t)length))
                continue;
            labels[row] = label;
            break;
        }
    }
    Py_END_ALLOW_THREADS
    PyObject *firsts = NULL;
    if (!has_room)
        PyErr_NoMemory();
    else if (row < rows)
        outside();
    else
        firsts = PyBytes_FromStringAndSize(
            (const char *)table.firsts, (Py_ssize_t)(table.count * (i64)sizeof(i64)));
    free(table.hashes);
    free(table.firsts);
    free(table.slots);
    return release(views, 4, firsts);
}

/* A gob value: the position of the reader, and the end of the value. */
typedef struct {
    const byte *data;
    i64 at, end;
} Value;

static int read_unsigned(Value *value, u64 *number)
{
    if (value->at >= value->end)
        return 0;
    byte first = value->data[value->at++];
    *number = first;
    if (first < 128)
        return 1;
    int width = 256 - first;
    if (width > 8 || width > value->end - value->at)
        return 0;
    for (*number = 0; width; width--)
        *number = *number << 8 | value->data[value->at++];
    return 1;
}

/* Skip a text or bytes, which begin with their length. */
static int skip_blob(Value *value, u64 *size)
{
    if (!read_unsigned(value, size) || *size > (u64)(value->end - value->at))
        return 0;
    value->at += (i64)*size;
    return 1;
}

/* Skip a map from texts to lists of texts. */
static int skip_headers(Value *value, u64 most)
{
    u64 keys, texts, size;
    if (!read_unsigned(value, &keys) || keys > most)
        return 0;
    for (; keys; keys--) {
        if (!skip_blob(value, &size) || !read_unsigned(value, &texts) || texts > most)
            return 0;
        for (; texts; texts--)
            if (!skip_blob(value, &size))
                return 0;
    }
    return 1;
}

/* Read the fields of a struct: numbers ('n'), blobs ('b': place and size), headers ('h'). */
static int read_struct(
    Value *value, const char *shapes, Py_ssize_t fields, u64 most, u64 *numbers, i64 *more,
    Py_ssize_t rows)
{
    u64 step;
    for (u64 field = 0; read_unsigned(value, &step); field += step) {
        if (!step)
            return value->at == value->end;
        if (step > (u64)fields - field)
            return 0;
        u64 *number = numbers + (Py_ssize_t)(field + step - 1) * rows;
        i64 *size = more + (Py_ssize_t)(field + step - 1) * rows;
        switch (shapes[field + step - 1]) {
        case 'n':
            *size = 1;
            if (!read_unsigned(value, number))
                return 0;
            break;
        case 'h':
            if (!skip_headers(value, most))
                return 0;
            break;
        default:
            if (!skip_blob(value, (u64 *)size))
                return 0;
            *number = (u64)(value->at - *size);
        }
    }
    return 0;
}

/* find_messages(data, place, end, prefix, places, ends) -> int: the number of consecutive gob
 * messages from `place` that begin with `prefix`; for each the place after the prefix, and its
 * end. */
static PyObject *find_messages(PyObject *self, PyObject *args)
{
    Py_buffer views[4];
    Py_ssize_t place, end, found = 0;
    if (!PyArg_ParseTuple(args, "y*nny*w*w*", &views[0], &place, &end, &views[1], &views[2],
            &views[3]))
        return NULL;
    Py_ssize_t rows = views[2].len / (Py_ssize_t)sizeof(i64);
    if (!holds_items(&views[3], rows, sizeof(i64)))
        return release(views, 4, NULL);
    if (!spans_inside(views[0].len, place, end))
        return release(views, 4, outside());
    i64 *places = views[2].buf, *ends = views[3].buf;
    Value message = {views[0].buf, place, end};
    u64 size;
    Py_BEGIN_ALLOW_THREADS
    for (; found < rows && skip_blob(&message, &size) && size >= (u64)views[1].len; found++) {
        if (memcmp(message.data + message.at - size, views[1].buf, (size_t)views[1].len))
            break;
        places[found] = message.at - (i64)size + views[1].len;
        ends[found] = message.at;
    }
    Py_END_ALLOW_THREADS
    return release(views, 4, PyLong_FromSsize_t(found));
}

/* read_structs(data, places, ends, shapes, most, numbers, more, good): values of one gob struct;
 * `numbers` and `more` have a row for each field, and are zero before. */
static PyObject *read_structs(PyObject *self, PyObject *args)
{
    Py_buffer views[6];
    const char *shapes;
    Py_ssize_t fields, most;
    if (!PyArg_ParseTuple(args, "y*y*y*s#nw*w*w*", &views[0], &views[1], &views[2], &shapes,
            &fields, &most, &views[3], &views[4], &views[5]))
        return NULL;
    Py_ssize_t size = views[0].len, rows = views[1].len / (Py_ssize_t)sizeof(i64), row = 0;
    if (!holds_items(&views[2], rows, sizeof(i64))
        || !holds_items(&views[3], rows * fields, sizeof(u64))
        || !holds_items(&views[4], rows * fields, sizeof(i64)) || !holds_items(&views[5], rows, 1))
        return release(views, 6, NULL);
    const i64 *places = views[1].buf, *ends = views[2].buf;
    u64 *numbers = views[3].buf;
    i64 *more = views[4].buf;
    byte *good = views[5].buf;
    Py_BEGIN_ALLOW_THREADS
    for (; row < rows && spans_inside(size, places[row], ends[row]); row++) {
        Value value = {views[0].buf, places[row], ends[row]};
        good[row] = (byte)read_struct(
            &value, shapes, fields, (u64)most, numbers + row, more + row, rows);
    }
    Py_END_ALLOW_THREADS
    return release(views, 6, row < rows ? outside() : none());
}

/* keep_memory(): keep freed memory for the next block; returning it to the system would cost a page
 * fault per page. */
static PyObject *keep_memory(PyObject *self, PyObject *args)
{
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
    return none();
}

static PyMethodDef METHODS[] = {
    {"keep_memory", keep_memory, METH_NOARGS, NULL},
    {"count", count, METH_VARARGS, NULL},
    {"find_all", find_all, METH_VARARGS, NULL},
    {"find_first", find_first, METH_VARARGS, NULL},
    {"holds", holds, METH_VARARGS, NULL},
    {"repeats", repeats, METH_VARARGS, NULL},
    {"read_integers", read_integers, METH_VARARGS, NULL},
    {"read_lines", read_lines, METH_VARARGS, NULL},
    {"read_decimals", read_decimals, METH_VARARGS, NULL},
    {"group_equal", group_equal, METH_VARARGS, NULL},
    {"find_messages", find_messages, METH_VARARGS, NULL},
    {"read_structs", read_structs, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_kernel", "Columns of text, compiled.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

/* Take the keys from Python, which draws its own at the start of a process. */
static int draw_keys(void)
{
    for (int i = 0; i < 2; i++) {
        PyObject *text = PyBytes_FromStringAndSize(i ? "second" : "first", i ? 6 : 5);
        Py_hash_t hash = text ? PyObject_Hash(text) : -1;
        Py_XDECREF(text);
        if (hash == -1)
            return 0;
        KEYS[i] = (u64)hash;
    }
    return 1;
}

PyMODINIT_FUNC PyInit__kernel(void)
{
    return draw_keys() ? PyModule_Create(&MODULE) : NULL;
}
