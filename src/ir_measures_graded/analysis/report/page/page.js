"use strict";
// The page is readable without scripts. This one makes tables of the class "sortable" sortable.
function sortable(table) {
  const body = table.tBodies[0];
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = parseFloat(text.replace("−", "-").replace(/^[<+≥]\s*/, ""));
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
    });
  });
}
document.querySelectorAll("table.sortable").forEach(sortable);
