(() => {
  "use strict";
  const plain = (cell) => [...cell.childNodes].filter((node) => node.nodeName !== "SUP")
    .map((node) => node.textContent).join("").trim().replace(/\s+/g, " ");
  const make = (tag, text, owner) => {
    const made = document.createElement(tag);
    made.textContent = text;
    owner.append(made);
    return made;
  };
  const rank = (row, place) => {
    const cell = row.cells[place];
    return cell.dataset.value === undefined ? plain(cell) : Number(cell.dataset.value);
  };
  const compare = (a, b, sign) =>
    typeof a !== typeof b ? (typeof a === "number" ? -1 : 1)
      : sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));

  const sortBy = (table, heads, place) => {
    const down = heads[place].getAttribute("aria-sort") === "ascending";
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[place].setAttribute("aria-sort", down ? "descending" : "ascending");
    table.classList.add("sorted");
    const body = table.tBodies[0];
    const sign = down ? -1 : 1;
    body.append(...[...body.rows].sort((a, b) => compare(rank(a, place), rank(b, place), sign)));
  };

  const marks = /[&<>|`*\\$]|~(?=\S)|\b_|_\b|@(?=\w)|#(?=\d)|:(?=\/\/)|(?<=www)\.|(?<=\])[(\[:]/g;
  const named = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  const literal = (text) => text.replace(marks, (mark) => named[mark] ?? `&#${mark.charCodeAt(0)};`);
  const markdown = (table) => {
    const write = (cells) => `| ${[...cells].map((c) => literal(plain(c))).join(" | ")} |`;
    const [head, ...rows] = [...table.rows].filter((row) => !row.hidden);
    const rule = [...head.cells].map((c) => (c.classList.contains("right") ? "--:" : ":--"));
    return [write(head.cells), `|${rule.join("|")}|`, ...rows.map((row) => write(row.cells))].join("\n");
  };

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", text, document.body);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };

  document.querySelectorAll("table").forEach((table) => {
    const heads = [...table.tHead.rows[0].cells];
    if (table.tBodies[0].rows.length > 1) {
      heads.forEach((head, place) => {
        const button = make("button", head.textContent, head);
        head.firstChild.remove();
        button.type = "button";
        button.addEventListener("click", () => sortBy(table, heads, place));
      });
    }
    const tools = document.createElement("p");
    tools.className = "tools";
    table.parentElement.before(tools);
    if (table.tBodies[0].rows.length > 8) {
      const label = make("label", "Filter rows ", tools);
      const field = make("input", "", label);
      field.type = "search";
      const count = make("span", "", tools);
      count.setAttribute("role", "status");
      field.addEventListener("input", () => {
        const wanted = field.value.toLowerCase();
        const rows = [...table.tBodies[0].rows];
        rows.forEach((row) => { row.hidden = !plain(row).toLowerCase().includes(wanted); });
        const shown = rows.filter((row) => !row.hidden).length;
        count.textContent = wanted ? `${shown} of ${rows.length} rows` : "";
      });
    }
    const button = make("button", "Copy as Markdown", tools);
    button.type = "button";
    button.addEventListener("click", async () => {
      await copy(markdown(table));
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy as Markdown"; }, 2000);
    });
  });

  const reveal = () => {
    const target = document.querySelector(":target");
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.querySelector(":scope > details")?.setAttribute("open", "");
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => document.querySelectorAll("details:not(.long)").forEach((d) => { d.open = true; }));
  reveal();
})();
