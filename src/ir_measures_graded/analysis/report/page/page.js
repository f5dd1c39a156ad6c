"use strict";
// The page is readable without scripts. This one makes tables of the class "sortable" sortable.
function sortable(table) {
  const body = table.tBodies[0];
  const value = (row, column) => {
    const cell = row.cells[column];
    const text = (cell.dataset.sort ?? cell.textContent).trim();
    const number = parseFloat(text.replace("−", "-").replace(/(\d),(?=\d{3})/g, "$1").replace(/^[<+≥]\s*/, ""));
    return { text, number, empty: text === "" || text === "–" };
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (head.dataset.sort === "no") return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const numeric = head.classList.contains("n");
      const before = head.getAttribute("aria-sort");
      const way = before ? (before === "ascending" ? "descending" : "ascending") : numeric ? "descending" : "ascending";
      const sign = way === "ascending" ? 1 : -1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", way);
      const rows = [...body.rows].map((row) => ({ row, ...value(row, column) }));
      rows.sort((a, b) => {
        if (a.empty || b.empty) return a.empty - b.empty;
        if (!isNaN(a.number) && !isNaN(b.number) && numeric) return sign * (a.number - b.number);
        return sign * a.text.localeCompare(b.text, undefined, { numeric: true });
      });
      body.append(...rows.map((each) => each.row));
      table.refold?.();
    });
  });
}
document.querySelectorAll("table.sortable").forEach(sortable);

// Long tables and lists show the items nearest to the first and to marked ones, until one asks for all.
const LEAST_GAP = 4; // fewer items are not hidden
function fold(whole, most) {
  const parent = whole.tBodies?.[0] ?? whole;
  const items = () => [...parent.children];
  if (items().length <= most) return;
  const tools = document.createElement("div");
  const field = document.createElement("input");
  const button = document.createElement("button");
  const label = document.createElement("label");
  let open = false;
  const show = () => {
    const all = items();
    const wanted = field.value.trim().toLocaleLowerCase();
    const marks = all.flatMap((item, place) => (place === 0 || "mark" in item.dataset ? [place] : []));
    const far = (place) => Math.min(...marks.map((mark) => Math.abs(mark - place)));
    const near = all.map((_, place) => [far(place), place]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const kept = new Set(near.slice(0, most).map((each) => each[1]));
    let last = -1;
    for (const place of [...kept, all.length].sort((a, b) => a - b)) {
      if (place - last <= LEAST_GAP) for (let inside = last + 1; inside < place; inside += 1) kept.add(inside);
      last = place;
    }
    let hidden = false;
    all.forEach((item, place) => {
      const name = (item.cells?.[0] ?? item.querySelector(".run") ?? item).textContent.toLocaleLowerCase();
      item.hidden = wanted ? !name.includes(wanted) : !open && !kept.has(place);
      item.classList.toggle("gap", hidden && !item.hidden && place > 0);
      hidden = item.hidden;
    });
    button.textContent = open ? `Show ${most} of ${all.length}` : `Show all ${all.length}`;
  };
  tools.className = "tools";
  field.type = "search";
  button.type = "button";
  label.append("Filter ", field);
  tools.append(label, button);
  button.addEventListener("click", () => { open = !open; show(); });
  field.addEventListener("input", show);
  (whole.closest(".wide, .curves") ?? whole).before(tools);
  whole.refold = show;
  show();
}
document.querySelectorAll("table.sortable:not(.fixed)").forEach((table) => fold(table, 25));
document.querySelectorAll("[data-fold]").forEach((list) => fold(list, Number(list.dataset.fold)));

// An element wider than the page has a hint that it scrolls, and fades at the right until its end is visible.
function tellScrolling(element) {
  const hidden = element.scrollWidth - element.clientWidth;
  if (hidden < 2) delete element.dataset.scrolls;
  else element.dataset.scrolls = hidden - element.scrollLeft < 2 ? "end" : "more";
}
const watching = new ResizeObserver((entries) => {
  for (const element of new Set(entries.map((entry) => entry.target.closest(".wide, .figure")))) tellScrolling(element);
});
document.addEventListener("DOMContentLoaded", () => { // other scripts make such elements, too
  for (const element of document.querySelectorAll(".wide, .figure")) {
    for (const watched of [element, ...element.children]) watching.observe(watched);
    element.addEventListener("scroll", () => tellScrolling(element), { passive: true });
  }
});
