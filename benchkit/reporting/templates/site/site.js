(() => {
  "use strict";
  const make = (tag, owner, names = {}, text = "") => {
    const made = document.createElement(tag);
    Object.entries(names).forEach(([name, value]) => made.setAttribute(name, value));
    made.textContent = text;
    owner.append(made);
    return made;
  };
  const draw = (tag, owner, names) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(names).forEach(([name, value]) => made.setAttribute(name, value));
    owner.append(made);
    return made;
  };

  const table = document.getElementById("series");
  if (table) {
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map((row) => row.cells[0].textContent.toLowerCase());
    const owner = document.getElementById("filters");
    const label = (text) => make("label", owner, {}, text);
    const name = make("input", label("Name"), { type: "search" });
    const choose = (title, values) => {
      const select = make("select", label(title));
      make("option", select, { value: "*" }, "all");
      values.forEach(([value, text]) => make("option", select, { value }, text));
      return select;
    };
    const list = (key) => [...new Set(rows.map((row) => row.dataset[key]))];
    const selects = [["state", choose("Series", [["outside", "newest commit outside"], ["changed", "changed level"], ["steady", "steady"]])]];
    [["machine", "Machine"], ["branch", "Branch"]].forEach(([key, title]) => {
      const values = list(key);
      if (values.length > 1) selects.push([key, choose(title, values.map((value) => [value, value || "unknown"]))]);
    });
    const count = make("span", owner, { role: "status" });
    const filter = () => {
      const words = name.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, place) => {
        row.hidden = !words.every((word) => texts[place].includes(word))
          || selects.some(([key, select]) => select.value !== "*" && select.value !== row.dataset[key]);
        shown += !row.hidden;
      });
      count.textContent = `${shown} of ${rows.length} series`;
    };
    [name, ...selects.map(([, select]) => select)].forEach((field) => field.addEventListener("input", filter));
    filter();
  }

  const held = document.getElementById("data");
  if (!held) return;
  const [HEIGHT, LEFT, BOTTOM] = [240, 64, 20];
  const ticks = (low, high) => {
    const rough = (high - low) / 3;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, n) => (first + n) * step);
  };

  const link = (owner, commit) => {
    if (benchkit.pattern && /^[0-9a-f]+$/i.test(commit)) {
      make("a", owner, { href: benchkit.pattern.replaceAll("{commit}", commit), rel: "noreferrer" }, commit.slice(0, 12));
    } else {
      make("span", owner, {}, commit.slice(0, 12));
    }
  };

  const chart = (series) => {
    const section = document.getElementById(series.id);
    const place = section.querySelector(".place");
    const WIDTH = Math.max(280, place.clientWidth);
    const commits = benchkit.branches[series.branch];
    const { values, start } = series;
    const known = values.flatMap((value, n) => (value === null ? [] : [n]));
    const runs = (n) => (Array.isArray(series.runs) ? series.runs[n] : series.runs);
    const write = (n) => `${values[n]}${series.unit ? ` ${series.unit}` : ""}`;
    const all = known.map((n) => values[n]);
    let low = Math.min(...all);
    let high = Math.max(...all);
    const room = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
    low -= room; high += room;
    const x = (n) => LEFT + ((n + 0.5) / values.length) * (WIDTH - LEFT);
    const y = (value) => 8 + (1 - (value - low) / (high - low)) * (HEIGHT - BOTTOM - 8);

    const frame = make("div", place, {
      class: "chart", role: "slider", tabindex: "0", "aria-label": `Commits of ${section.querySelector("h2").textContent}`,
      "aria-valuemin": "1", "aria-valuemax": String(known.length),
    });
    const svg = draw("svg", frame, { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", preserveAspectRatio: "none" });
    const label = (at, value, text, anchor) => { draw("text", svg, { x: at, y: value, "text-anchor": anchor }).textContent = text; };
    ticks(low, high).forEach((value) => {
      draw("path", svg, { class: "grid", d: `M${LEFT} ${y(value)}H${WIDTH}` });
      label(LEFT - 6, y(value) + 4, Number(value.toPrecision(4)), "end");
    });
    label(LEFT - 6, HEIGHT - 4, series.unit, "end");
    label(x(known[0]), HEIGHT - 4, commits[start + known[0]][1].slice(0, 10), "start");
    if (known.length > 1) label(WIDTH, HEIGHT - 4, commits[start + known.at(-1)][1].slice(0, 10), "end");
    let pen = "M";
    let curve = "";
    values.forEach((value, n) => {
      if (value === null) { pen = "M"; return; }
      curve += `${pen}${x(n).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = "L";
    });
    draw("path", svg, { class: "curve", d: curve });
    if (values.length <= 300) draw("path", svg, { class: "dots", d: known.map((n) => `M${x(n).toFixed(1)} ${y(values[n]).toFixed(1)}h0`).join("") });
    series.changes.forEach((change, n) => {
      const from = n ? series.changes[n - 1].at : 0;
      const to = n + 1 < series.changes.length ? series.changes[n + 1].at : values.length;
      if (!n) draw("path", svg, { class: "level", d: `M${x(from - 0.5)} ${y(change.before)}H${x(change.at - 0.5)}` });
      draw("path", svg, { class: "level", d: `M${x(change.at - 0.5)} ${y(change.after)}H${x(to - 0.5)}` });
      draw("path", svg, { class: `mark ${change.look}`, d: `M${x(change.at - 0.5)} 0V${HEIGHT - BOTTOM}` });
    });
    const cursor = draw("path", svg, { class: "at", d: "" });
    const readout = make("p", place, { class: "readout" });
    let at = known.length - 1;
    const show = (next) => {
      at = Math.max(0, Math.min(known.length - 1, next));
      const n = known[at];
      const [commit, time] = commits[start + n];
      const change = series.changes.find((one) => one.at === n);
      const many = runs(n);
      const text = ` · ${time} · ${write(n)} · ${many} run${many === 1 ? "" : "s"}${change ? ` · ${change.text}` : ""}`;
      cursor.setAttribute("d", `M${x(n)} 0V${HEIGHT - BOTTOM}`);
      readout.textContent = "";
      link(readout, commit);
      make("span", readout, {}, text);
      frame.title = `${commit}${text}`;
      frame.setAttribute("aria-valuenow", String(at + 1));
      frame.setAttribute("aria-valuetext", `${commit.slice(0, 12)}${text}`);
    };
    const nearest = (event) => {
      const box = svg.getBoundingClientRect();
      const n = (((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT) * values.length - 0.5;
      return known.reduce((best, one, n2) => (Math.abs(one - n) < Math.abs(known[best] - n) ? n2 : best), 0);
    };
    frame.addEventListener("pointermove", (event) => show(nearest(event)));
    frame.addEventListener("pointerdown", (event) => show(nearest(event)));
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };
    frame.addEventListener("keydown", (event) => {
      if (event.key in steps) { event.preventDefault(); show(at + steps[event.key]); }
      if (event.key === "Enter") readout.querySelector("a")?.click();
    });
    show(at);

    const details = make("details", place);
    make("summary", details, {}, `All commits (${values.length})`);
    details.addEventListener("toggle", () => {
      if (!details.open || details.querySelector("table")) return;
      const scroll = make("div", details, { class: "scroll", role: "region", tabindex: "0", "aria-label": "All commits, table" });
      const made = make("table", scroll);
      const head = make("tr", make("thead", made));
      ["commit", "date (UTC)", "runs", series.unit ? `median, ${series.unit}` : "median", "change of level"].forEach((text) => make("th", head, { scope: "col" }, text));
      const body = make("tbody", made);
      values.forEach((value, n) => {
        const row = make("tr", body);
        const [commit, time] = commits[start + n];
        link(make("th", row, { scope: "row" }), commit);
        [time, runs(n), value ?? "–", series.changes.find((one) => one.at === n)?.text ?? ""].forEach((text) => make("td", row, {}, text));
      });
    });
  };
  JSON.parse(held.textContent).forEach(chart);
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
})();
