/** How programs are coloured: words, numbers, comments. What is right or wrong is said by the server. */

import { StreamLanguage, type StreamParser } from "@codemirror/language";
import type { ProgramText } from "../../protocol.gen";

const KRL_WORDS =
  /^(?:DEF|DEFFCT|DEFDAT|END|ENDFCT|ENDDAT|DECL|GLOBAL|INT|REAL|BOOL|CHAR|POS|E6POS|FRAME|AXIS|E6AXIS|STRUC|ENUM|IF|THEN|ELSE|ENDIF|FOR|TO|STEP|ENDFOR|WHILE|ENDWHILE|REPEAT|UNTIL|LOOP|ENDLOOP|EXIT|SWITCH|CASE|DEFAULT|ENDSWITCH|GOTO|WAIT|SEC|HALT|RETURN|INTERRUPT|TRIGGER|SPLINE|ENDSPLINE|AND|OR|NOT|EXOR|TRUE|FALSE|IN|OUT|PULSE|CONTINUE)\b/i;
const KRL_MOVES =
  /^(?:PTP|LIN|CIRC|SPL|SLIN|SCIRC|SPTP|PTP_REL|LIN_REL|CIRC_REL|C_PTP|C_DIS|C_VEL|C_ORI|CA)\b/i;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/;

const gcode: StreamParser<null> = {
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^\([^)]*\)?/) !== null || stream.match(/^;.*/) !== null) return "comment";
    if (stream.match(/^[oO]\s*(?:<[^>]*>|\d+)/) !== null) return "labelName";
    if (
      stream.match(
        /^(?:sub|endsub|call|return|if|elseif|else|endif|while|endwhile|do|repeat|endrepeat|break|continue)\b/i,
      ) !== null
    )
      return "keyword";
    if (stream.match(/^#(?:<[^>]*>|#*\d+)/) !== null) return "variableName";
    if (stream.match(/^[gGmM]\s*\d+(?:\.\d+)?/) !== null) return "keyword";
    if (stream.match(/^[a-zA-Z](?=[\s+\-.\d[#])/) !== null) return "propertyName";
    if (stream.match(NUMBER) !== null) return "number";
    stream.next();
    return null;
  },
};

const krl: StreamParser<null> = {
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^;.*/) !== null) return "comment";
    if (stream.match(/^&.*/) !== null) return "meta";
    if (stream.match(/^"[^"]*"?/) !== null) return "string";
    if (stream.match(KRL_MOVES) !== null) return "labelName";
    if (stream.match(KRL_WORDS) !== null) return "keyword";
    if (stream.match(/^\$[\w]+/) !== null) return "propertyName";
    if (stream.match(/^#?[A-Za-z_][\w]*/) !== null) return "variableName";
    if (stream.match(NUMBER) !== null) return "number";
    stream.next();
    return null;
  },
};

const python: StreamParser<null> = {
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/) !== null) return "comment";
    if (stream.match(/^"[^"]*"?/) !== null || stream.match(/^'[^']*'?/) !== null) return "string";
    if (
      stream.match(
        /^(?:def|return|for|in|while|if|elif|else|break|continue|pass|and|or|not|True|False|None|range)\b/,
      ) !== null
    )
      return "keyword";
    if (stream.match(/^(?:move_\w+|wait\w*|set_output|read_input|pick|place|pause)\b/) !== null)
      return "labelName";
    if (stream.match(/^[A-Za-z_]\w*/) !== null) return "variableName";
    if (stream.match(NUMBER) !== null) return "number";
    stream.next();
    return null;
  },
};

const json: StreamParser<null> = {
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:[^"\\]|\\.)*"(?=\s*:)/) !== null) return "propertyName";
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) !== null) return "string";
    if (stream.match(/^(?:true|false|null)\b/) !== null) return "keyword";
    if (stream.match(NUMBER) !== null) return "number";
    stream.next();
    return null;
  },
};

const PARSERS: Readonly<Record<ProgramText["language"], StreamParser<null>>> = {
  gcode,
  krl,
  python,
  scenario: json,
};

/** Return the colouring of a language. */
export function colouring(language: ProgramText["language"]) {
  return StreamLanguage.define(PARSERS[language]);
}
