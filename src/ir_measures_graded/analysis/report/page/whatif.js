// The what-if page: the order of the runs for gains, cutoffs and bases that the reader chooses.
// The data are the levels of each list, rank by rank; all values are computed here.
// The braces keep its names apart from those of the page's other scripts.
{
const RANKS = 100;

// ------------------------------------------------------------------------------ measures

class Rankings {
  // The lists of all runs and topics as flat arrays: list r · topics + t has the documents from start[list] on.
  constructor(data) {
    this.runs = data.runs.length;
    this.topics = data.judged.length;
    this.levels = data.levels.length;
    this.judged = data.judged;
    const texts = data.lists.flat();
    const count = texts.reduce((sum, text) => sum + text.replaceAll(".", "").length, 0);
    this.start = new Int32Array(texts.length + 1);
    this.rank = new Uint8Array(count);
    this.level = new Uint8Array(count);
    let place = 0;
    texts.forEach((text, list) => {
      this.start[list] = place;
      for (let at = 0; at < text.length; at++) {
        if (text[at] === ".") continue;
        this.rank[place] = at + 1;
        this.level[place] = text.charCodeAt(at) - 97;
        place++;
      }
    });
    this.start[texts.length] = place;
    this.kept = new Map(); // sums that do not depend on the gains
  }

  // What `compute` returns, kept for the last settings that share a key.
  once(key, compute) {
    if (!this.kept.has(key)) {
      if (this.kept.size > 400) this.kept.clear();
      this.kept.set(key, compute());
    }
    return this.kept.get(key);
  }

  // The mean value of each run under a setting: {measure, b, cutoff, gains, parameters}.
  means(setting) {
    const values = MEASURES[setting.measure](this, setting);
    const means = new Array(this.runs);
    for (let run = 0; run < this.runs; run++) {
      let sum = 0;
      for (let topic = 0; topic < this.topics; topic++) sum += values[run * this.topics + topic];
      means[run] = sum / this.topics;
    }
    return means;
  }

  // The highest gain that a judged document of any topic has.
  topGain(gains) {
    const has = this.once("levels that documents have", () =>
      Array.from({ length: this.levels }, (_, level) => this.judged.some((counts) => counts[level] > 0)));
    return gains.reduce((top, gain, level) => (has[level] ? Math.max(top, gain) : top), 0);
  }

  // Calls each(list, topic, first document, end) for every list.
  forEachList(each) {
    for (let run = 0; run < this.runs; run++)
      for (let topic = 0; topic < this.topics; topic++) {
        const list = run * this.topics + topic;
        each(list, topic, this.start[list], this.start[list + 1]);
      }
  }
}

// The levels by descending gain.
const byGain = (gains) => gains.map((_, level) => level).sort((a, b) => gains[b] - gains[a]);

// The sums of weights of the documents of each level in each list, down to the cutoff.
function sumsByLevel(rankings, weights, cutoff) {
  const sums = new Float64Array(rankings.runs * rankings.topics * rankings.levels);
  rankings.forEachList((list, topic, first, end) => {
    for (let at = first; at < end && rankings.rank[at] <= cutoff; at++)
      sums[list * rankings.levels + rankings.level[at]] += weights[rankings.rank[at]];
  });
  return sums;
}

// The weighted sum of the ideal list of each topic, down to the cutoff.
function idealSums(rankings, weights, { gains, cutoff }) {
  const cumulated = new Float64Array(RANKS + 1);
  for (let rank = 1; rank <= RANKS; rank++) cumulated[rank] = cumulated[rank - 1] + weights[rank];
  const order = byGain(gains);
  return rankings.judged.map((counts) => {
    let sum = 0;
    let rank = 0;
    for (const level of order) {
      const next = Math.min(rank + counts[level], cutoff);
      sum += gains[level] * (cumulated[next] - cumulated[rank]);
      rank = next;
    }
    return sum;
  });
}

function weightedSums(rankings, setting, weights, key) {
  const sums = rankings.once(`${key} ${setting.cutoff}`, () => sumsByLevel(rankings, weights, setting.cutoff));
  const values = new Float64Array(rankings.runs * rankings.topics);
  const { levels } = rankings;
  for (let list = 0; list < values.length; list++) {
    let sum = 0;
    for (let level = 0; level < levels; level++) sum += setting.gains[level] * sums[list * levels + level];
    values[list] = sum;
  }
  return values;
}

function normalised(rankings, setting, weights, key) {
  const values = weightedSums(rankings, setting, weights, key);
  const ideal = idealSums(rankings, weights, setting);
  rankings.forEachList((list, topic) => {
    values[list] = ideal[topic] > 0 ? values[list] / ideal[topic] : 0;
  });
  return values;
}

// Ranks before the base count whole, others are divided by the logarithm of the rank.
const discounts = (b) => Float64Array.from({ length: RANKS + 1 }, (_, rank) =>
  rank === 0 ? 0 : rank < b ? 1 : Math.log(b) / Math.log(rank));
// The discount of nDCG, by the logarithm of the rank plus 1.
const OF_NEXT_RANK = Float64Array.from({ length: RANKS + 1 }, (_, rank) => (rank ? 1 / Math.log2(rank + 1) : 0));
const EVEN = Float64Array.from({ length: RANKS + 1 }, (_, rank) => (rank ? 1 : 0));

// Average precision where the levels of `mask` are relevant, with all relevant documents as the denominator.
function averagePrecision(rankings, mask, cutoff) {
  const relevant = rankings.judged.map((counts) =>
    counts.reduce((sum, count, level) => sum + (mask & (1 << level) ? count : 0), 0));
  const values = new Float64Array(rankings.runs * rankings.topics);
  rankings.forEachList((list, topic, first, end) => {
    let hits = 0;
    let sum = 0;
    for (let at = first; at < end && rankings.rank[at] <= cutoff; at++)
      if (mask & (1 << rankings.level[at])) {
        hits++;
        sum += hits / rankings.rank[at];
      }
    values[list] = relevant[topic] ? sum / relevant[topic] : 0;
  });
  return values;
}

function muAP(rankings, { gains, cutoff }) {
  const values = new Float64Array(rankings.runs * rankings.topics);
  const thresholds = [...new Set(gains.filter((gain) => gain > 0))].sort((a, b) => a - b);
  const masks = thresholds.map((threshold) =>
    gains.reduce((mask, gain, level) => (gain >= threshold ? mask | (1 << level) : mask), 0));
  const precisions = masks.map((mask) =>
    rankings.once(`AP ${mask} ${cutoff}`, () => averagePrecision(rankings, mask, cutoff)));
  rankings.judged.forEach((counts, topic) => {
    // Only gains that a judged document of the topic has are thresholds.
    const own = thresholds
      .map((threshold, place) => [threshold, place])
      .filter(([threshold]) => gains.some((gain, level) => gain === threshold && counts[level] > 0));
    if (!own.length) return;
    const highest = own[own.length - 1][0];
    for (let run = 0; run < rankings.runs; run++) {
      const list = run * rankings.topics + topic;
      let sum = 0;
      let below = 0;
      for (const [threshold, place] of own) {
        sum += precisions[place][list] * (threshold - below);
        below = threshold;
      }
      values[list] = sum / highest;
    }
  });
  return values;
}

function blendedQ(rankings, { gains, cutoff, parameters }) {
  const { beta } = parameters;
  const order = byGain(gains);
  const ideals = rankings.judged.map((counts) => {
    const ideal = new Float64Array(RANKS + 1);
    let rank = 0;
    for (const level of order)
      for (let count = 0; count < counts[level] && rank < RANKS; count++) {
        rank++;
        ideal[rank] = ideal[rank - 1] + gains[level];
      }
    ideal.fill(ideal[rank], rank + 1);
    return ideal;
  });
  const relevant = rankings.judged.map((counts) =>
    counts.reduce((sum, count, level) => sum + (gains[level] > 0 ? count : 0), 0));
  const values = new Float64Array(rankings.runs * rankings.topics);
  rankings.forEachList((list, topic, first, end) => {
    if (!relevant[topic]) return;
    const ideal = ideals[topic];
    let hits = 0;
    let gained = 0;
    let sum = 0;
    for (let at = first; at < end && rankings.rank[at] <= cutoff; at++) {
      const gain = gains[rankings.level[at]];
      if (gain <= 0) continue;
      hits++;
      gained += gain;
      sum += (hits + beta * gained) / (rankings.rank[at] + beta * ideal[rankings.rank[at]]);
    }
    values[list] = sum / Math.min(relevant[topic], cutoff);
  });
  return values;
}

function expectedReciprocalRank(rankings, { gains, cutoff }) {
  const top = rankings.topGain(gains);
  const values = new Float64Array(rankings.runs * rankings.topics);
  rankings.forEachList((list, topic, first, end) => {
    let goesOn = 1;
    let sum = 0;
    for (let at = first; at < end && rankings.rank[at] <= cutoff; at++) {
      const stops = gains[rankings.level[at]] / (top + 1);
      sum += (goesOn * stops) / rankings.rank[at];
      goesOn *= 1 - stops;
    }
    values[list] = sum;
  });
  return values;
}

function rankBiased(rankings, setting) {
  const { p } = setting.parameters;
  const top = rankings.topGain(setting.gains);
  const weights = Float64Array.from({ length: RANKS + 1 }, (_, rank) => (rank ? (1 - p) * p ** (rank - 1) : 0));
  const values = weightedSums(rankings, setting, weights, `RBP ${p}`);
  return top > 0 ? values.map((value) => value / top) : values.fill(0);
}

const MEASURES = {
  nDCG: (rankings, setting) => normalised(rankings, setting, OF_NEXT_RANK, "next rank"),
  nDCG_Burges: (rankings, setting) => normalised(rankings, setting, OF_NEXT_RANK, "next rank"),
  nDCG_JK: (rankings, setting) => normalised(rankings, setting, discounts(setting.b), `base ${setting.b}`),
  DCG_JK: (rankings, setting) => weightedSums(rankings, setting, discounts(setting.b), `base ${setting.b}`),
  nCG: (rankings, setting) => normalised(rankings, setting, EVEN, "even"),
  muAP,
  Q: blendedQ,
  ERR_G: expectedReciprocalRank,
  RBP_G: rankBiased,
};

// ------------------------------------------------------------------------------ orders

const TIED = 1e-12; // of the largest mean: rounding errors do not order runs
const differs = (a, b, scale) => Math.abs(a - b) > TIED * scale;

// The rank of each run; equal means share the better rank.
function ranksOf(means) {
  const scale = Math.max(...means.map(Math.abs));
  return means.map((mean) => 1 + means.filter((other) => other > mean && differs(other, mean, scale)).length);
}

// Kendall's τ-b of two orders; NaN if all runs of one are equal.
function kendall(first, second) {
  let agree = 0;
  let firstDiffer = 0;
  let secondDiffer = 0;
  for (let a = 1; a < first.length; a++)
    for (let b = 0; b < a; b++) {
      const one = Math.sign(first[a] - first[b]);
      const other = Math.sign(second[a] - second[b]);
      agree += one * other;
      firstDiffer += one !== 0;
      secondDiffer += other !== 0;
    }
  return agree / Math.sqrt(firstDiffer * secondDiffer);
}

// The runs with the highest mean, as text: equal means share the first rank, as those of two equal lists do.
const bestOf = (means) => {
  const ranks = ranksOf(means);
  return ranks.flatMap((rank, run) => (rank === 1 ? [run] : [])).join(" ");
};
const runsOf = (best) => best.split(" ").map(Number);
const isShared = (best) => best.includes(" ");
const namesOf = (best, runs) => {
  const names = runsOf(best).map((run) => runs[run]);
  return names.length > 3 ? `${names.length} runs` : names.join(" and ");
};

// ------------------------------------------------------------------------------ text

const digits = (value, places) => value.toFixed(places).replace(/^(-?)0\./, "$1.").replace("-", "−");
const plain = (value) => String(value).replace(/^0\./, ".");
const rounded = (value) => Number(value.toPrecision(3));

// What stands in the map for each of its best runs: the name if all fit in a cell, otherwise a shape, since numbers
// would look like ranks or levels.
function marksOf(names) {
  if (names.every((name) => name.length <= 2)) return names;
  return names.map((_, number) => SHAPES[number % SHAPES.length]);
}

function measureString({ measure, b, cutoff, gains, parameters }, levels) {
  const options = parameters.condensed ? ["judged_only=True"] : [];
  if (measure === "nDCG_JK" || measure === "DCG_JK") options.push(...(b === 2 ? [] : [`b=${b}`]));
  if (measure === "Q" && parameters.beta !== 1) options.push(`beta=${parameters.beta}`);
  if (measure === "RBP_G" && parameters.p !== 0.8) options.push(`p=${parameters.p}`);
  options.push(`gains=${levels.map((level, place) => `${level}:${gains[place]}`).join(",")}`);
  return `${measure}(${options.join(",")})@${cutoff}`;
}

// ------------------------------------------------------------------------------ sliders

// A slider's positions: 0 for no gain, then 40 for each power of ten from .1 on.
const STEPS = 40;
const LEAST = -1;
const gainAt = (position) => (position === 0 ? 0 : rounded(10 ** (LEAST + (position - 1) / STEPS)));
const positionOf = (gain) => (gain <= 0 ? 0 : Math.max(1, Math.round((Math.log10(gain) - LEAST) * STEPS) + 1));

const MOST_GAIN = 1e6; // of a typed gain, unless a named weighting has a higher one
const MOST_SHOWN_GAINS = 4; // on the button of a named weighting
const SHAPES = "●▲■◆★✚▼✖○△□◇☆▽";
const MAP_GAINS = 24;
const MAP_BASES = [null, 20, 14, 10, 7, 5, 4, 3, 2.5, 2, 1.5, 1.2]; // null: no discount
const ON_MAP = "Each cell is a setting and shows its best run. A higher base b discounts fewer ranks; “none” discounts no rank. " +
  "Choose a cell to go there.";
const NO_DISCOUNT = RANKS + 1; // a base that discounts no rank of the page

// ------------------------------------------------------------------------------ page

function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "for" || key === "role") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

const LONG_WORD = 20;

// A text whose long names may break after - _ / only.
function breakable(text) {
  return text.split(/( )/).flatMap((word) => {
    if (word.length <= LONG_WORD) return [word];
    const parts = word.match(/[^-_/]+[-_/]*|[-_/]+/g);
    return parts.flatMap((part, place) => (place ? [make("wbr"), part] : [part]));
  });
}

class WhatIfPage {
  constructor(data, root) {
    this.data = data;
    this.root = root;
    this.rankings = new Rankings(data);
    this.last = data.levels.length - 1; // the place of the highest level
    this.reference = {
      measure: data.measure,
      b: data.parameters.b ?? 2,
      cutoff: data.cutoff,
      gains: [...data.gains],
      parameters: { beta: data.parameters.beta ?? 1, p: data.parameters.p ?? 0.8, condensed: data.condensed },
    };
    const highest = Math.max(100, ...data.gains);
    this.steps = Math.ceil((Math.log10(highest) - LEAST) * STEPS - 1e-9) + 1;
    this.mostGain = Math.max(MOST_GAIN, ...data.gains, ...data.presets.flatMap(([, gains]) => gains));
    this.referenceMeans = this.rankings.means(this.reference);
    this.referenceRanks = ranksOf(this.referenceMeans);
    this.setting = this.copy(this.reference);
    this.build();
    this.restore();
    this.show();
  }

  copy(setting, changes = {}) {
    return { ...setting, gains: [...setting.gains], parameters: { ...setting.parameters }, ...changes };
  }

  // ---- controls

  build() {
    this.controls = make("form", { className: "what-if-controls" });
    this.controls.addEventListener("submit", (event) => event.preventDefault());
    this.buildGains();
    this.buildOthers();
    this.answer = make("p", { className: "lead", "aria-live": "polite" });
    this.agreed = make("p", { "aria-live": "polite" });
    this.tipping = make("div", { className: "what-if-tipping", "aria-live": "polite" });
    this.buildRuns();
    this.buildMap();
    this.buildCopies();
    const right = make("div", { className: "what-if-answers" },
      this.answer, this.table, this.agreed, this.tipping, this.map);
    this.root.append(make("div", { className: "what-if-columns" }, this.controls, right), this.copies);
    this.keepOrderInSight();
    this.root.hidden = false;
    document.getElementById("what-if-static").hidden = true;
  }

  // Where there is one column, the best run and the order stand directly below the sliders. Where it is narrow, the
  // bars stand below the names.
  keepOrderInSight() {
    const oneColumn = matchMedia("(max-width: 67rem)");
    const narrow = matchMedia("(max-width: 52rem)");
    const place = () => {
      if (oneColumn.matches) this.gainSliders.after(this.answer, this.table);
      else this.agreed.before(this.answer, this.table);
      for (const row of this.rows) {
        (narrow.matches ? row.name : row.bars).append(row.bar);
        row.bars.hidden = narrow.matches;
      }
      this.meanHead.colSpan = narrow.matches ? 1 : 2; // the bar and the number
    };
    oneColumn.addEventListener("change", place);
    narrow.addEventListener("change", place);
    place();
  }

  buildGains() {
    const fields = make("fieldset", {}, make("legend", { textContent: "Gain of each level" }));
    this.sliders = [];
    this.numbers = [];
    this.data.levels.forEach((level, place) => {
      const id = `what-if-gain-${place}`;
      const slider = make("input", { type: "range", id, min: 0, max: this.steps, step: 1 });
      const number = make("input", {
        type: "number", min: 0, max: this.mostGain, step: "any", "aria-label": `gain of level ${level}, as a number`,
      });
      slider.addEventListener("input", () => this.setGain(place, gainAt(Number(slider.value))));
      number.addEventListener("change", () => this.enterGain(place));
      fields.append(make("div", { className: "what-if-slider" },
        make("label", { for: id, textContent: `level ${level}` }), slider, number));
      this.sliders.push(slider);
      this.numbers.push(number);
    });
    this.entryText = make("p", { className: "what-if-entry", role: "status", hidden: true });
    fields.append(this.entryText);
    this.ordered = make("input", { type: "checkbox", checked: true, id: "what-if-ordered" });
    this.ordered.addEventListener("change", () => this.later());
    fields.append(make("p", {}, this.ordered, " ",
      make("label", { for: "what-if-ordered", textContent: "a higher level is worth at least as much" })));
    const presets = make("div", { className: "tools", role: "group", "aria-label": "Named weightings" });
    const areShort = this.data.levels.length <= MOST_SHOWN_GAINS;
    this.presets = this.data.presets.map(([name, gains], place) => {
      const text = areShort ? `${name} (${gains.join(", ")})` : name;
      const button = make("button", { type: "button", textContent: text, title: gains.join(", ") });
      // The first one is the setting at first, with its measure, base and cutoff.
      const changes = () => (place ? { gains: [...gains] } : this.copy(this.reference));
      button.addEventListener("click", () => this.change(changes()));
      presets.append(button);
      return { button, changes };
    });
    this.gainSliders = fields;
    this.controls.append(fields, presets);
  }

  buildOthers() {
    const fields = make("fieldset", {}, make("legend", { textContent: "Measure" }));
    this.choice = make("select", { id: "what-if-measure" },
      ...this.data.measures.map((name) => make("option", { value: name, textContent: name })));
    this.choice.addEventListener("change", () => this.change({ measure: this.choice.value }));
    this.base = make("input", { type: "range", id: "what-if-base", min: 1.1, max: 20, step: 0.1 });
    this.base.addEventListener("input", () => this.change({ b: Number(this.base.value) }));
    this.baseText = make("span", { className: "what-if-number", "aria-hidden": "true" });
    this.cutoff = make("input", { type: "range", id: "what-if-cutoff", min: 1, max: RANKS, step: 1 });
    this.cutoff.addEventListener("input", () => this.change({ cutoff: Number(this.cutoff.value) }));
    this.cutoffText = make("span", { className: "what-if-number", "aria-hidden": "true" });
    this.baseRow = make("div", { className: "what-if-slider" },
      make("label", { for: "what-if-base", textContent: "base b" }), this.base, this.baseText);
    fields.append(
      make("div", { className: "what-if-slider" },
        make("label", { for: "what-if-measure", textContent: "measure" }), this.choice),
      this.baseRow,
      make("div", { className: "what-if-slider" },
        make("label", { for: "what-if-cutoff", textContent: "cutoff" }), this.cutoff, this.cutoffText));
    this.controls.append(fields);
  }

  buildRuns() {
    this.rows = this.data.runs.map((name) => {
      const bar = make("span", { className: "what-if-bar" });
      const row = {
        bar,
        rank: make("td", { className: "n" }),
        moved: make("td", { className: "what-if-moved" }),
        name: make("th", { scope: "row" }, ...breakable(name)),
        bars: make("td", { className: "what-if-bars" }, bar),
        mean: make("td", { className: "n" }),
      };
      row.element = make("tr", {}, row.rank, row.moved, row.name, row.bars, row.mean);
      return row;
    });
    this.body = make("tbody", {}, ...this.rows.map((row) => row.element));
    const heads = [["rank", "n"], ["moved", ""], ["run", ""], ["mean", "n"]];
    const cells = heads.map(([text, className]) => make("th", { scope: "col", className, textContent: text }));
    this.meanHead = cells[cells.length - 1];
    const table = make("table", { className: "what-if-runs" },
      make("caption", { textContent: "Means of the runs; “moved” compares the ranks with those of " + this.data.reference }),
      make("thead", {}, make("tr", {}, ...cells)), this.body);
    this.table = make("div", { className: "wide", tabIndex: 0, role: "region", "aria-label": "Runs" }, table);
  }

  buildMap() {
    this.mapBody = make("div", { className: "what-if-map", role: "grid", "aria-label": "Best run by gain and base" });
    this.cells = MAP_BASES.map((b) => {
      const cells = Array.from({ length: MAP_GAINS }, (_, column) => {
        const button = make("button", { type: "button", role: "gridcell", tabIndex: -1 });
        button.addEventListener("click", () => this.goTo(b, this.mapGain(column)));
        button.addEventListener("keydown", (event) => this.moveInMap(event));
        return button;
      });
      const head = make("span", { role: "rowheader", textContent: b === null ? "none" : `b=${b}` });
      this.mapBody.append(make("div", { role: "row" }, head, ...cells));
      return cells;
    });
    this.cells[0][0].tabIndex = 0;
    this.legend = make("ul", { className: "what-if-legend" });
    const level = this.data.levels[this.last];
    const ticks = make("div", { className: "what-if-ticks", "aria-hidden": "true" }, ...this.ticks());
    const axis = make("p", { className: "what-if-axis muted", textContent: `gain of level ${level}` });
    this.mapText = make("p", {});
    this.mapTable = make("div", { className: "wide" }, this.mapBody, ticks, axis);
    this.map = make("div", { hidden: true },
      make("h3", { textContent: `Best run by the gain of level ${level} and the discount` }),
      this.mapText, this.mapTable, this.legend);
  }

  // The gains that are powers of ten, below the columns of the map.
  ticks() {
    const ticks = [];
    for (let power = LEAST; positionOf(10 ** power) <= this.steps; power++) {
      const tick = make("span", { textContent: plain(rounded(10 ** power)) });
      tick.style.setProperty("--share", (positionOf(10 ** power) - 1) / (this.steps - 1));
      ticks.push(tick);
    }
    return ticks;
  }

  buildCopies() {
    this.copies = make("div", {});
    this.texts = ["measure", "command"].map((name) => {
      const text = make("code", {});
      const button = make("button", { type: "button", textContent: `Copy the ${name}` });
      button.addEventListener("click", async () => {
        getSelection().selectAllChildren(text); // where there is no clipboard, the text is selected
        await navigator.clipboard?.writeText(text.textContent).catch(() => {});
      });
      this.copies.append(make("p", {}, text), make("div", { className: "tools" }, button));
      return text;
    });
  }

  // The mean of each run, and the measure string, for a setting that differs from the shown one in some ways.
  meansFor(changes) {
    return this.rankings.means(this.copy(this.setting, changes));
  }

  stringFor(changes) {
    return measureString(this.copy(this.setting, changes), this.data.levels);
  }

  // ---- changes

  // A gain that was typed. An entry that is no gain changes nothing, and the page says what is allowed.
  enterGain(place) {
    const number = this.numbers[place];
    const typed = number.value;
    const gain = Number(typed);
    const before = this.setting.gains;
    const level = `Level ${this.data.levels[place]}`;
    if (typed === "" || !(gain >= 0 && gain <= this.mostGain)) {
      number.value = ""; // text that is no number would stay beside an equal value
      number.value = before[place];
      const entry = typed === "" ? "That" : typed.replace("-", "−");
      const most = this.mostGain.toLocaleString("en");
      this.say(`${entry} is no gain: a gain is a number from 0 to ${most}. ${level} still gains ${plain(before[place])}.`);
      return;
    }
    this.setGain(place, gain);
    const moved = this.data.levels.filter((_, other) => other !== place && this.setting.gains[other] !== before[other]);
    if (moved.length)
      this.say(`Level ${moved.join(" and level ")} went along, since a higher level is worth at least as much.`);
  }

  // A sentence below the sliders on what was typed, until the setting changes.
  say(sentence) {
    this.entryText.textContent = sentence;
    this.entryText.hidden = !sentence;
  }

  setGain(place, gain) {
    const gains = [...this.setting.gains];
    gains[place] = gain;
    if (this.ordered.checked)
      gains.forEach((other, at) => {
        if (at < place) gains[at] = Math.min(other, gain);
        if (at > place) gains[at] = Math.max(other, gain);
      });
    this.change({ gains });
  }

  goTo(b, gain) {
    const gains = [...this.setting.gains];
    gains[this.last] = gain;
    this.change({ gains, ...this.inRow(b, this.setting) });
  }

  // The measure and the base in a row of the map, beside a setting.
  inRow(b, setting) {
    if (setting.measure === "DCG_JK") return { measure: "DCG_JK", b: b ?? NO_DISCOUNT };
    return { measure: b === null ? "nCG" : "nDCG_JK", b: b ?? setting.b };
  }

  change(changes) {
    this.setting = this.copy(this.setting, changes);
    this.say("");
    this.show();
    this.remember();
  }

  // The setting of the address, as in #b=2&g=1,10,100&k=10&m=nDCG_JK
  restore() {
    const words = new URLSearchParams(location.hash.slice(1));
    if (!words.has("g")) return;
    const gains = words.get("g").split(",").map((text) => (text.trim() ? Number(text) : NaN));
    const b = Number(words.get("b") ?? this.setting.b);
    const cutoff = Number(words.get("k") ?? this.setting.cutoff);
    const measure = words.get("m") ?? this.setting.measure;
    const isValid =
      gains.length === this.data.levels.length && gains.every((gain) => gain >= 0 && gain <= this.mostGain) &&
      b > 1 && isFinite(b) && Number.isInteger(cutoff) && cutoff >= 1 && cutoff <= RANKS && Object.hasOwn(MEASURES, measure);
    if (isValid) this.setting = this.copy(this.setting, { gains, b, cutoff, measure });
    else this.say("The address has no setting of this page, which begins as named.");
  }

  remember() {
    const { b, gains, cutoff, measure } = this.setting;
    clearTimeout(this.remembering); // browsers limit how often an address may change
    this.remembering = setTimeout(() => {
      history.replaceState(null, "", `#b=${b}&g=${gains.join(",")}&k=${cutoff}&m=${measure}`);
    }, 200);
  }

  // ---- what is shown

  show() {
    this.showControls();
    const means = this.rankings.means(this.setting);
    this.means = means;
    this.showRuns(means);
    this.showAnswer(means);
    const text = measureString(this.setting, this.data.levels);
    this.texts[0].textContent = text;
    this.texts[1].textContent = `${this.data.command} '${text}'`;
    this.later();
  }

  showControls() {
    const { gains, measure, b, cutoff } = this.setting;
    gains.forEach((gain, place) => {
      this.sliders[place].value = positionOf(gain);
      this.sliders[place].setAttribute("aria-valuetext", `gain ${gain}`);
      this.numbers[place].value = gain;
    });
    for (const preset of this.presets) {
      const wanted = this.copy(this.setting, preset.changes());
      preset.button.setAttribute("aria-pressed", JSON.stringify(wanted) === JSON.stringify(this.setting));
    }
    this.choice.value = measure;
    this.base.value = b;
    this.baseText.textContent = b;
    this.base.setAttribute("aria-valuetext", `base ${b}`);
    this.baseRow.hidden = !(measure === "nDCG_JK" || measure === "DCG_JK");
    this.cutoff.value = cutoff;
    this.cutoffText.textContent = cutoff;
  }

  showRuns(means) {
    const ranks = ranksOf(means);
    this.ranks = ranks;
    const highest = Math.max(...means, 1e-300);
    const scale = highest > 1 ? highest : 1;
    this.rows.forEach((row, run) => {
      const moved = this.referenceRanks[run] - ranks[run];
      row.rank.textContent = ranks[run];
      row.moved.textContent = moved > 0 ? `↑ ${moved}` : moved < 0 ? `↓ ${-moved}` : "=";
      row.mean.textContent = digits(means[run], 4);
      row.bar.style.width = `${(100 * means[run]) / scale}%`;
    });
    const order = means.map((_, run) => run).sort((a, b) => ranks[a] - ranks[b] || a - b);
    const isNew = order.some((run, place) => run !== this.order?.[place]);
    if (isNew) this.body.append(...order.map((run) => this.rows[run].element));
    this.order = order;
  }

  showAnswer(means) {
    if (this.setting.gains.every((gain) => gain === 0)) {
      this.answer.textContent = "No level has a gain, so all means are 0.";
      this.agreed.textContent = "";
      return;
    }
    const best = bestOf(means);
    const verb = isShared(best) ? "are equally good and" : "is";
    const mean = digits(Math.max(...means), 4);
    this.answer.replaceChildren(...breakable(`${namesOf(best, this.data.runs)} ${verb} best, with a mean of ${mean}.`));
    this.agreed.replaceChildren(...breakable(this.agreement()));
  }

  // How the order compares with that of the setting at first.
  agreement() {
    const named = this.data.reference;
    if (this.ranks.every((rank, run) => rank === this.referenceRanks[run])) return `The order is that of ${named}.`;
    const tau = kendall(this.ranks, this.referenceRanks);
    if (isNaN(tau)) return "All runs are equal in one of the orders.";
    return `Kendall’s τ with the order of ${named} is ${digits(tau, 2)}: 1 is the same order, −1 the reverse.`;
  }

  // The tipping point and the map take longer than a drag may. They follow when nothing moves.
  later() {
    clearTimeout(this.waiting);
    const setting = this.setting;
    this.tipping.style.minHeight = `${this.tipping.offsetHeight}px`; // keeps the content below in place
    this.tipping.textContent = "";
    this.waiting = setTimeout(() => {
      const turns = { alone: turnsOf(this.rankings, setting, this.steps, alone(setting)) };
      // A drag may begin between the two searches.
      this.waiting = setTimeout(() => {
        if (this.ordered.checked) turns.dragged = turnsOf(this.rankings, setting, this.steps, dragged(setting));
        this.tipping.replaceChildren(...tippingPoints(setting, this.data, turns));
        this.tipping.style.minHeight = "";
        this.fillMap(setting);
      }, 0);
    }, 60);
  }

  mapGain(column) {
    return gainAt(1 + Math.round((column * (this.steps - 1)) / (MAP_GAINS - 1)));
  }

  fillMap(setting) {
    const hasBase = ["nDCG_JK", "DCG_JK", "nCG"].includes(setting.measure);
    if (!hasBase) {
      this.map.hidden = true;
      return;
    }
    const others = JSON.stringify([setting.gains.slice(0, -1), setting.cutoff, setting.measure === "DCG_JK"]);
    if (others === this.mapped) this.markMap(setting);
    else this.fillRow(setting, 0, [], others);
  }

  // One row of the map at a time, so that the page answers in between.
  fillRow(setting, row, winners, others) {
    if (setting !== this.setting) return;
    if (row < MAP_BASES.length) {
      const b = MAP_BASES[row];
      const changes = this.inRow(b, setting);
      winners.push(this.cells[row].map((_, column) => {
        const gains = [...setting.gains.slice(0, -1), this.mapGain(column)];
        return bestOf(this.rankings.means(this.copy(setting, { ...changes, gains })));
      }));
      setTimeout(() => this.fillRow(setting, row + 1, winners, others), 0);
      return;
    }
    this.mapped = others;
    this.winners = winners;
    this.showMap();
    this.markMap(setting);
  }

  showMap() {
    const counts = new Map();
    for (const best of this.winners.flat()) counts.set(best, (counts.get(best) ?? 0) + 1);
    const listed = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || runsOf(a)[0] - runsOf(b)[0]);
    const { runs } = this.data;
    // A map of one colour shows nothing that a sentence does not say.
    this.mapTable.hidden = this.legend.hidden = listed.length === 1;
    this.mapText.textContent = listed.length === 1 ? this.onOneBest(listed[0]) : ON_MAP;
    const alone = listed.filter((best) => !isShared(best));
    const coloursOfRuns = this.coloursOf(alone);
    const colours = listed.map((best) => (isShared(best) ? "" : coloursOfRuns[alone.indexOf(best)]));
    const marksOfRuns = marksOf(alone.map((best) => runs[best]));
    const marks = listed.map((best) => (isShared(best) ? "=" : marksOfRuns[alone.indexOf(best)]));
    this.cells.forEach((cells, row) => cells.forEach((cell, column) => {
      const best = this.winners[row][column];
      const number = listed.indexOf(best);
      cell.textContent = marks[number];
      cell.style.setProperty("--run", colours[number]);
      const base = MAP_BASES[row] === null ? "no discount" : `base ${MAP_BASES[row]}`;
      cell.setAttribute("aria-label", `${namesOf(best, runs)}: gain ${this.mapGain(column)}, ${base}`);
      cell.title = cell.getAttribute("aria-label");
    }));
    this.legend.replaceChildren(...listed.map((best, number) => {
      const key = make("span", { className: "what-if-key", textContent: marks[number] });
      key.style.setProperty("--run", colours[number]);
      return make("li", {}, key, ...breakable(` ${namesOf(best, runs)}${isShared(best) ? ", equal" : ""}`));
    }));
  }

  // That the same runs are the best in all cells of the map.
  onOneBest(best) {
    const verb = isShared(best) ? "are equally good and" : "is";
    const bases = MAP_BASES.filter((base) => base !== null);
    return `${namesOf(best, this.data.runs)} ${verb} best at every gain of level ${this.data.levels[this.last]} from ` +
      `${plain(this.mapGain(0))} to ${plain(this.mapGain(MAP_GAINS - 1))} with the bases ${Math.min(...bases)} to ` +
      `${Math.max(...bases)} and without a discount, if the other gains stay as they are.`;
  }

  // The colour of each of the runs: that of the page's figure, or one that the figure does not use.
  coloursOf(listed) {
    const { runs, colours, palette } = this.data;
    const used = Object.values(colours);
    const free = palette.filter((colour) => !used.includes(colour));
    const others = free.length ? free : palette;
    let next = 0;
    return listed.map((run) => colours[runs[run]] ?? others[next++ % others.length]);
  }

  // The cell that is nearest to the setting.
  markMap({ gains, b, measure }) {
    this.map.hidden = false;
    const isEven = measure === "nCG" || b >= NO_DISCOUNT;
    const distance = (base) =>
      isEven !== (base === null) ? Infinity : base === null ? 0 : Math.abs(Math.log(base / b));
    const distances = MAP_BASES.map(distance);
    const row = distances.indexOf(Math.min(...distances));
    const position = Math.max(positionOf(gains[this.last]), 1);
    const column = Math.min(MAP_GAINS - 1, Math.round(((position - 1) * (MAP_GAINS - 1)) / (this.steps - 1)));
    for (const cell of this.cells.flat()) cell.removeAttribute("aria-current");
    this.cells[row][column].setAttribute("aria-current", "true");
    this.focusable(row, column);
  }

  focusable(row, column) {
    for (const cell of this.cells.flat()) cell.tabIndex = -1;
    this.cells[row][column].tabIndex = 0;
    return this.cells[row][column];
  }

  moveInMap(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const row = this.cells.findIndex((cells) => cells.includes(event.target));
    const column = this.cells[row].indexOf(event.target);
    const [down, right] = steps[event.key];
    const nextRow = Math.min(Math.max(row + down, 0), MAP_BASES.length - 1);
    const nextColumn = Math.min(Math.max(column + right, 0), MAP_GAINS - 1);
    this.focusable(nextRow, nextColumn).focus();
  }
}

// ------------------------------------------------------------------------------ turns

// The gains when that of the highest level is changed alone, and when its slider is dragged, which takes lower levels
// along if a higher level is worth at least as much. They do not come back when the slider does.
const alone = ({ gains }) => (gain) => [...gains.slice(0, -1), gain];
const dragged = ({ gains }) => {
  const begin = Math.max(gains[gains.length - 1], gainAt(1));
  return (gain) => [...gains.slice(0, -1).map((other) => Math.min(other, gain, begin)), gain];
};

// Where the best run changes as the gain of the highest level rises over its slider, with the gains that `gainsAt`
// gives: the first best run, and for each change the gain, to three digits, and the best run from there on; the last
// gain of the slider.
function turnsOf(rankings, setting, steps, gainsAt) {
  const bestAt = (gain) => bestOf(rankings.means({ ...setting, gains: gainsAt(gain) }));
  const winner = (gain) => {
    const best = bestAt(gain);
    // Where one run overtakes another, they are equal at a single gain, which is no turn of its own.
    return isShared(best) ? bestAt(gain * (1 + 1e-6) + 1e-9) : best;
  };
  const bisected = (low, high, before) => {
    if (isAtZero({ gain: high })) return high;
    while (high - low > 5e-4 * high) {
      const middle = (low + high) / 2;
      if (winner(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  };
  const first = winner(0);
  const turns = [];
  let before = first;
  // The order may change at gain 0 itself, above which documents of the level are relevant.
  const gains = [0, JUST_ABOVE_0, ...Array.from({ length: steps }, (_, place) => gainAt(place + 1))];
  for (let place = 1; place < gains.length; place++) {
    const now = winner(gains[place]);
    if (now === before) continue;
    const gain = bisected(gains[place - 1], gains[place], before);
    turns.push({ gain, from: before, to: winner(gain) });
    before = now;
  }
  return { first, turns, last: gainAt(steps) };
}

// The gains that stay as they are while that of the highest level changes, beside the one that it is compared with.
function fixedGains(gains, levels, compared) {
  const others = gains.slice(0, -1).flatMap((gain, place) =>
    (place === compared ? [] : [`level ${levels[place]} at ${plain(rounded(gain))}`]));
  if (!others.length) return "";
  return others.length > 3 ? ", with the other gains as they are" : `, with ${others.join(" and ")}`;
}

// The nearest turns above and below a gain, and the last gain that was searched.
function nearest({ turns, last }, gain) {
  const above = turns.find((turn) => turn.gain > gain);
  const below = turns.findLast((turn) => turn.gain <= gain);
  return { above, below, last };
}

const JUST_ABOVE_0 = 1e-9;
const isAtZero = (turn) => turn.gain <= JUST_ABOVE_0;
const isSame = (turn, other) => turn?.gain === other?.gain && turn?.from === other?.from && turn?.to === other?.to;

// What happens to the best run at a turn, in words.
function changes(best, before, runs) {
  const name = namesOf(best, runs);
  if (isShared(best)) return `${name} are equally good and best`;
  return isShared(before) ? `${name} alone is best` : `${name} overtakes ${namesOf(before, runs)}`;
}

// The nearest turns above and below the gain of the setting when the highest level is changed `alone`, a paragraph
// each, and a list of all of them if there are several. If dragging the slider (`dragged`) shows other turns, these
// follow.
function tippingPoints(setting, { runs, levels }, turns) {
  const last = levels.length - 1;
  const highest = `level ${levels[last]}`;
  const gain = setting.gains[last];
  const lowest = setting.gains.findIndex((other, place) => other > 0 && place < last);
  const worth = (turn) => {
    if (lowest < 0) return `a gain of ${plain(rounded(turn.gain))}`;
    const times = plain(rounded(turn.gain / setting.gains[lowest]));
    const gain = plain(rounded(turn.gain));
    const inGains = gain === times ? "" : ` (a gain of ${gain})`;
    return `${times} times level ${levels[lowest]}${inGains}`;
  };
  const found = nearest(turns.alone, gain);
  // Without any gain above 0, all runs are equal and none is the best.
  if (found.below && isAtZero(found.below) && lowest < 0) found.below = undefined;
  const { above, below } = found;
  const sentences = [];
  // A turn at 0 compares no level with another.
  const fixedAt = (turn) => fixedGains(setting.gains, levels, turn && isAtZero(turn) ? -1 : lowest);
  if (above) {
    const isWorth = isAtZero(above) ? "has a gain above 0" : `is worth more than ${worth(above)}`;
    sentences.push(`${changes(above.to, above.from, runs)} when ${highest} ${isWorth}${fixedAt(above)}.`);
  }
  if (below) {
    const isWorth = isAtZero(below) ? "worth nothing" : `worth less than ${worth(below)}`;
    sentences.push(`${changes(below.from, below.to, runs)} when ${highest} is ${isWorth}${fixedAt(below)}.`);
  }
  if (!sentences.length) {
    const never = `The best run stays the same if the gain of ${highest} alone changes, up to ${plain(turns.alone.last)}`;
    sentences.push(lowest < 0 ? `${never}, since no other level has a gain.` : `${never}${fixedAt()}.`);
  }
  const drag = turns.dragged ? dragClause(found, nearest(turns.dragged, gain), runs) : "";
  if (drag) sentences.push(`${sentences.pop().slice(0, -1)}; ${drag}.`);
  const paragraphs = sentences.map((sentence) => make("p", {}, ...breakable(sentence)));
  if (turns.alone.turns.length > 1) paragraphs.push(...listOfTurns(turns.alone, gain, highest, !!drag, runs));
  return paragraphs;
}

// The gains from one turn to the next in words; the first ones begin, and the last ones end, without a turn. A turn at 0
// is the one from no gain to any gain.
function rangeOf(begin, end) {
  if (!begin) return end === "0" ? "at 0" : `0 to ${end}`;
  const from = begin === "0" ? "above 0" : begin;
  if (end) return `${from} to ${end}`;
  return begin === "0" ? from : `from ${from}`;
}

// The best run between each turn and the next, as a list with the present gain in bold.
function listOfTurns({ first, turns }, gain, highest, isAlone, runs) {
  const gains = turns.map((turn) => turn.gain);
  const ends = [...gains.map((end) => (isAtZero({ gain: end }) ? "0" : plain(rounded(end)))), ""];
  const items = [first, ...turns.map((turn) => turn.to)].map((best, place) => {
    const between = rangeOf(place ? ends[place - 1] : "", ends[place]);
    const isHere = gain >= (gains[place - 1] ?? -Infinity) && gain < (gains[place] ?? Infinity);
    const text = breakable(`${between}: ${namesOf(best, runs)}`);
    return make("li", {}, ...(isHere ? [make("strong", {}, ...text, ", now")] : text));
  });
  const changed = isAlone ? `${highest} alone` : highest;
  return [make("p", { textContent: `Best run by the gain of ${changed}:` }), make("ul", {}, ...items)];
}

// The nearest turns of the slider as a clause, if they are not those of the highest level alone. A change that was just
// told is not told again.
function dragClause(alone, dragged, runs) {
  const parts = [];
  const at = (turn) => `a gain of ${plain(rounded(turn.gain))}`;
  const areSame = (turn, other) => turn?.from === other?.from && turn?.to === other?.to;
  if (!isSame(alone.above, dragged.above)) {
    const { above } = dragged;
    const none = `no other run is best at higher gains, up to ${plain(dragged.last)}`;
    parts.push(above ? `${changes(above.to, above.from, runs)} above ${at(above)}` : none);
  }
  if (!isSame(alone.below, dragged.below)) {
    const { below } = dragged;
    if (!below) parts.push("no other run is best at lower gains");
    else if (!parts.length && areSame(alone.below, below)) parts.push(`below ${at(below)}`);
    else parts.push(`${changes(below.from, below.to, runs)} below ${at(below)}`);
  }
  if (!parts.length) return "";
  return `by the slider, which takes lower levels along while the box is checked, ${parts.join(", and ")}`;
}

const whatIfData = document.getElementById("what-if-data");
if (whatIfData) {
  const root = document.getElementById("what-if-page");
  window.whatIf = new WhatIfPage(JSON.parse(whatIfData.textContent), root);
}
}
