/** The text editor: CodeMirror in a shadow root, whose styles are sheets of its own (the page allows no inline ones). */

import { autocompletion, completeFromList, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import {
  Compartment,
  EditorState,
  type Extension,
  RangeSet,
  StateEffect,
  StateField,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  gutter,
  GutterMarker,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { ProgramFinding, ProgramText, ProgramWord } from "../../protocol.gen";
import { colouring } from "./languages";

export interface EditorOptions {
  readonly parent: HTMLElement;
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onCursor: (line: number) => void;
  readonly onBreakpoints: (lines: readonly number[]) => void;
}

const runningEffect = StateEffect.define<number>();
const runningField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(runningEffect)) continue;
      const line = effect.value;
      if (line < 1 || line > transaction.state.doc.lines) return Decoration.none;
      const { from } = transaction.state.doc.line(line);
      return Decoration.set([Decoration.line({ class: "cm-running" }).range(from)]);
    }
    return lines.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Dot extends GutterMarker {
  override toDOM(): Node {
    const dot = document.createElement("span");
    dot.className = "cm-dot";
    return dot;
  }
}
const DOT = new Dot();
const toggleEffect = StateEffect.define<number>();
const breakpointField = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(marks, transaction) {
    let now = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(toggleEffect)) continue;
      const at = effect.value;
      const here: number[] = [];
      now.between(at, at, (from) => {
        here.push(from);
      });
      now = here.includes(at)
        ? now.update({ filter: (from) => from !== at })
        : now.update({ add: [DOT.range(at)], sort: true });
    }
    return now;
  },
});

/** Set a breakpoint at a line, or take it away. */
function toggle(view: EditorView, line: { readonly from: number }): boolean {
  view.dispatch({ effects: toggleEffect.of(line.from) });
  return true;
}

const highlight = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--series-1)", fontWeight: "600" },
  { tag: tags.labelName, color: "var(--series-2)", fontWeight: "600" },
  { tag: tags.number, color: "var(--series-3)" },
  { tag: tags.string, color: "var(--series-3)" },
  { tag: tags.comment, color: "var(--text-quiet)", fontStyle: "italic" },
  { tag: tags.propertyName, color: "var(--series-4)" },
  { tag: tags.variableName, color: "var(--text)" },
  { tag: tags.meta, color: "var(--text-quiet)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--surface-sunk)", color: "var(--text-quiet)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--surface-hover) 60%, transparent)" },
  ".cm-running": { backgroundColor: "var(--accent-soft)", boxShadow: "inset 3px 0 var(--accent)" },
  ".cm-breakpoints": { width: "18px", cursor: "pointer" },
  ".cm-dot": {
    display: "block",
    width: "10px",
    height: "10px",
    margin: "5px 4px",
    borderRadius: "50%",
    backgroundColor: "var(--danger)",
  },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft)" },
  ".cm-help": { padding: "4px 8px", maxWidth: "min(420px, 80vw)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--text)",
  },
  ".cm-completionDetail": { color: "var(--text-quiet)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--text)", border: "1px solid var(--line)" },
});

/** Return the word at a column: letters, digits, $, # and _; with G1.5 also a point inside. */
export function wordAt(text: string, column: number): { word: string; from: number; to: number } | null {
  for (const found of text.matchAll(/[$#]?[A-Za-z_][A-Za-z_0-9]*(?:\.\d+)?/g)) {
    const to = found.index + found[0].length;
    if (found.index <= column && column <= to) return { word: plain(found[0]), from: found.index, to };
  }
  return null;
}

/** G01 is G1. */
function plain(word: string): string {
  return word.replace(/^([GM])0+(?=\d)/i, "$1");
}

/** The editor on the page; what is told to it is shown at once. */
export class TextEditor {
  readonly #view: EditorView;
  readonly #language = new Compartment();
  readonly #words = new Compartment();

  constructor({ parent, label, text, onChange, onCursor, onBreakpoints }: EditorOptions) {
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
    root.replaceChildren();
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
      if (update.docChanged || update.selectionSet)
        onCursor(update.state.doc.lineAt(update.state.selection.main.head).number);
      if (update.startState.field(breakpointField) !== update.state.field(breakpointField))
        onBreakpoints(this.#breakpoints());
    });
    const breakpoints: Extension = [
      breakpointField,
      gutter({
        class: "cm-breakpoints",
        markers: (view) => view.state.field(breakpointField),
        initialSpacer: () => DOT,
        domEventHandlers: { mousedown: toggle },
      }),
    ];
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          breakpoints,
          lineNumbers({ domEventHandlers: { mousedown: toggle } }),
          lintGutter(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          runningField,
          syntaxHighlighting(highlight),
          this.#language.of([]),
          this.#words.of([]),
          keymap.of([
            ...completionKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            ...searchKeymap,
            indentWithTab,
          ]),
          EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
          look,
          listener,
        ],
      }),
    });
  }

  /** Put another text in the place of this one. */
  replace(text: string): void {
    const { doc } = this.#view.state;
    if (doc.toString() !== text)
      this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text }, selection: { anchor: 0 } });
  }

  speak(language: ProgramText["language"]): void {
    this.#view.dispatch({ effects: this.#language.reconfigure(colouring(language)) });
  }

  /** Help with these words: complete them, and explain the one under the pointer. */
  explain(words: readonly ProgramWord[]): void {
    const known = new Map(words.map(({ word, help }) => [word.toUpperCase(), help]));
    const options = words.map(({ word, help }) => ({ label: word, detail: help, type: "keyword" }));
    const hover = hoverTooltip((view, at) => {
      const { from, text } = view.state.doc.lineAt(at);
      const found = wordAt(text, at - from);
      const help = found === null ? undefined : known.get(found.word.toUpperCase());
      if (found === null || help === undefined) return null;
      const create = (): { dom: HTMLElement } => {
        const dom = document.createElement("div");
        dom.className = "cm-help";
        dom.textContent = help;
        return { dom };
      };
      return { pos: from + found.from, end: from + found.to, above: true, create };
    });
    const completion = autocompletion({ override: [completeFromList(options)], icons: false });
    this.#view.dispatch({ effects: this.#words.reconfigure([hover, completion]) });
  }

  /** Underline what was found. */
  show(findings: readonly ProgramFinding[]): void {
    const { doc } = this.#view.state;
    const shown = findings.flatMap(({ line, column, severity, message }): Diagnostic[] => {
      if (line === null || line < 1 || line > doc.lines) return [];
      const { from, to } = doc.line(line);
      const start = Math.min(from + Math.max(0, (column ?? 1) - 1), to);
      return [{ from: start, to, severity: severity === "note" ? "info" : severity, message }];
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, shown));
  }

  /** Mark the line that runs; 0 marks none. */
  run(line: number): void {
    this.#view.dispatch({ effects: runningEffect.of(line) });
    if (line < 1 || line > this.#view.state.doc.lines) return;
    const { from } = this.#view.state.doc.line(line);
    this.#view.dispatch({ effects: EditorView.scrollIntoView(from, { y: "nearest" }) });
  }

  /** Put the cursor at the beginning of a line. */
  goTo(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.#view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }

  #breakpoints(): readonly number[] {
    const { state } = this.#view;
    const lines: number[] = [];
    const cursor = state.field(breakpointField).iter();
    while (cursor.value !== null) {
      lines.push(state.doc.lineAt(cursor.from).number);
      cursor.next();
    }
    return lines;
  }
}
