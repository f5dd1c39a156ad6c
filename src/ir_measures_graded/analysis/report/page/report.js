const make = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

// Curves: buttons switch runs off and on, and the run under the pointer is highlighted.
const drawn = document.querySelector("#curves .figure svg");
if (drawn) {
  const parts = (run) => drawn.querySelectorAll(`[data-run="${run}"]`);
  const buttons = [];
  const name = make("div", { className: "name run" });
  name.setAttribute("aria-live", "polite");
  drawn.after(name);
  const names = {};
  const single = (run) => {
    name.textContent = run === null ? "" : names[run];
    drawn.classList.toggle("dimmed", run !== null);
    drawn.querySelectorAll(".on").forEach((part) => part.classList.remove("on"));
    if (run !== null) parts(run).forEach((part) => part.classList.add("on"));
  };
  const press = (button, run, on) => {
    button.setAttribute("aria-pressed", on);
    parts(run).forEach((part) => part.classList.toggle("off", !on));
  };
  for (const item of document.querySelectorAll("#curves .key li[data-run]")) {
    const run = item.dataset.run;
    const button = make("button", { type: "button" }, ...item.childNodes);
    button.setAttribute("aria-pressed", "true");
    item.append(button);
    buttons.push([button, run]);
    names[run] = button.textContent.trim();
    button.addEventListener("click", () => press(button, run, button.getAttribute("aria-pressed") === "false"));
    for (const event of ["mouseenter", "focus"]) button.addEventListener(event, () => single(run));
    for (const event of ["mouseleave", "blur"]) button.addEventListener(event, () => single(null));
    parts(run).forEach((part) => {
      part.addEventListener("mouseenter", () => single(run));
      part.addEventListener("click", () => single(run));
      part.addEventListener("mouseleave", () => single(null));
      const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      title.textContent = button.textContent.trim();
      part.prepend(title);
    });
  }
  const all = (text, on) => {
    const button = make("button", { type: "button", textContent: text });
    button.addEventListener("click", () => buttons.forEach(([each, run]) => press(each, run, on)));
    return button;
  };
  const tools = make("div", { className: "tools" }, all("Show all curves", true), all("Hide all curves", false));
  document.querySelector("#curves .curves").before(tools);
}

// Topics: a filter hides the rows whose topic and query do not contain its text.
const topics = document.getElementById("topic-table");
if (topics) {
  const rows = [...topics.querySelectorAll("tbody tr")];
  const field = make("input", { type: "search" });
  const count = make("span", { className: "muted" });
  count.setAttribute("role", "status");
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLocaleLowerCase();
    const names = (row) => [...row.cells].filter((cell) => cell.matches("th, .query"));
    for (const row of rows) {
      row.hidden = !names(row).some((cell) => cell.textContent.toLocaleLowerCase().includes(wanted));
    }
    count.textContent = wanted ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} topics` : "";
  });
  const label = make("label", {}, "Filter ", field);
  topics.before(make("div", { className: "tools" }, label, count));
}

// Rankings: an opened topic shows a cell for each document. A cell shows what the document contributes.
const lists = document.getElementById("topic-lists");
if (lists) {
  const common = JSON.parse(document.getElementById("rankings-data").textContent);
  const gains = new Map(common.levels);  // an object would put whole levels first
  const levels = [...gains.keys()];
  const round = (value) => (value == null ? "–" : String(Number(value.toPrecision(4))).replace(/^(-?)0\./, "$1.").replace("-", "−"));

  const facts = (data, row, rank, level) => {
    const ideal = row < 0;
    const gain = gains.get(level) ?? 0;
    const weight = common.weights?.[rank - 1];
    const list = ideal ? null : data.runs[row];
    const found = [["rank", rank]];
    if (!ideal) {
      found.push(["document", common.prefix + data.documents[list.documents[rank - 1]]]);
      found.push(["score", round(list.scores[rank - 1])]);
    }
    found.push(["level", level === "–" ? "unjudged" : level]);
    found.push(["gain", round(gain)]);
    if (weight != null) found.push(["weight", round(weight)]);
    if (ideal) {
      if (data.ideal?.[rank - 1] != null) found.push([`ideal @${rank}`, round(data.ideal[rank - 1])]);
      return found;
    }
    for (const [term, units] of [["contributes", list.contributions], [`value @${rank}`, list.values]]) {
      if (units?.[rank - 1] != null) found.push([term, round(units[rank - 1] / common.unit)]);
    }
    return found;
  };

  const build = (topic) => {
    const table = topic.querySelector("table");
    const data = JSON.parse(topic.querySelector("script").textContent);
    const told = make("div", { className: "told", id: `${topic.id}-told` });
    told.setAttribute("aria-live", "polite");
    told.append(make("span", { className: "muted", textContent: "Point at a cell, or move with the arrow keys." }));
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map((row) => row.cells[2].textContent.split(/\s+/).filter(Boolean));
    const longest = Math.max(...texts.map((each) => each.length));
    const head = table.tHead.rows[0];
    head.lastElementChild.remove();
    for (let rank = 1; rank <= longest; rank++) {
      head.append(make("th", { scope: "col", className: "c", textContent: rank, hidden: rank > common.first }));
    }
    table.setAttribute("role", "grid");
    table.setAttribute("aria-describedby", told.id);
    table.setAttribute("aria-label", "Levels by rank");
    rows.forEach((row, number) => {
      row.lastElementChild.remove();
      texts[number].forEach((level, place) => {
        const cell = make("td", { textContent: level, hidden: place >= common.first, tabIndex: -1 });
        cell.className = `c ${level === "–" ? "none" : `l${levels.indexOf(level)}`}`;
        if (number) cell.dataset.document = data.runs[number - 1].documents[place];
        row.append(cell);
      });
    });
    const cells = () => rows.map((row) => (row.hidden ? [] : [...row.querySelectorAll("td.c:not([hidden])")]));
    let current = null;
    const show = (cell) => {
      const row = rows.indexOf(cell.parentElement) - 1;
      const rank = [...cell.parentElement.querySelectorAll("td.c")].indexOf(cell) + 1;
      const list = make("dl");
      const name = row < 0 ? "ideal list" : rows[row + 1].cells[0].textContent;
      for (const [term, value] of [["list", name], ...facts(data, row, rank, cell.textContent)]) {
        const shown = make("bdi", { textContent: value });
        list.append(make("div", {}, make("dt", { textContent: term }), make("dd", {}, shown)));
      }
      told.replaceChildren(list);
      table.querySelectorAll(".same").forEach((other) => other.classList.remove("same"));
      if (cell.dataset.document !== undefined) {
        table.querySelectorAll(`td[data-document="${cell.dataset.document}"]`).forEach((other) => other.classList.add("same"));
      }
    };
    const reach = (cell) => {
      if (current) current.tabIndex = -1;
      current = cell;
      cell.tabIndex = 0;
    };
    reach(cells().flat()[0] ?? rows[0].cells[0]);
    table.addEventListener("mouseover", (event) => {
      const cell = event.target.closest("td.c");
      if (cell) show(cell);
    });
    table.addEventListener("focusin", (event) => {
      const cell = event.target.closest("td.c");
      if (cell) { reach(cell); show(cell); }
    });
    table.addEventListener("click", (event) => event.target.closest("td.c")?.focus());
    table.addEventListener("keydown", (event) => {
      const cell = event.target.closest("td.c");
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -1e6], End: [0, 1e6] }[event.key];
      if (!cell || !step) return;
      event.preventDefault();
      const grid = cells();
      let row = grid.findIndex((each) => each.includes(cell));
      let column = grid[row].indexOf(cell) + step[1];
      do row += step[0]; while (step[0] && grid[row] && !grid[row].length);
      if (!grid[row]) return;
      column = Math.max(0, Math.min(column, grid[row].length - 1));
      grid[row][column].focus();
    });
    topic.querySelector(".wide").removeAttribute("tabindex");
    fold(table, 25);
    topic.append(told);
    if (longest > common.first) {
      const more = make("button", { type: "button", className: "more", textContent: `Show all ${longest} ranks` });
      more.addEventListener("click", () => {
        table.querySelectorAll("td[hidden], th[hidden]").forEach((cell) => { cell.hidden = false; });
        more.remove();
      });
      topic.append(more);
    }
  };
  for (const topic of lists.querySelectorAll("details.topic")) {
    topic.addEventListener("toggle", () => {
      if (topic.open && !topic.querySelector(".told")) build(topic);
    });
  }
  document.querySelectorAll(".scripted").forEach((part) => { part.hidden = false; });
  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.matches("details.topic")) {
      target.closest("details.others")?.setAttribute("open", "");
      target.open = true;
      target.querySelector("summary").focus({ preventScroll: true });
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#topic-"]');
    if (link && link.hash === location.hash) follow();
  });
  follow();
}
