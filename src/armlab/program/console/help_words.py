"""A line of help for each word of the console and of its languages."""

from __future__ import annotations

from collections.abc import Mapping

from armlab.messages import _

COMMANDS: Mapping[str, str] = {
    "help": _("help [WORD]: this list, or the line of one word; ? does the same"),
    "?": _("? NAME: the value of a variable or expression; ? alone: help"),
    "vars": _("vars: the variables that have a value"),
    "input": _("input NAME VALUE: give an input a value, as input 1 true"),
    "load": _("load FILE: read a program; its routines can be called from then on"),
    "run": _("run: run the program that was read, up to a breakpoint or its end"),
    "step": _("step [into|over|out]: go on to the next statement"),
    "continue": _("continue: go on to the next breakpoint or to the end"),
    "break": _("break [FILE:]LINE: stop there, or there no more; break alone: the list"),
    "where": _("where: the statement that comes next, the calls, and where the arm is"),
    "stop": _("stop: leave a program that is under way"),
    "quit": _("quit: end the session"),
}
KRL: Mapping[str, str] = {
    "PTP": _("PTP target [C_PTP]: move the joints; PTP {{A1 30}} moves only A1"),
    "LIN": _("LIN target [C_DIS]: move the tool straight"),
    "CIRC": _("CIRC via, target [, CA angle]: move the tool on an arc"),
    "PTP_REL": _("PTP_REL {{A1 10}}: move the joints by this much"),
    "LIN_REL": _("LIN_REL {{Z 20}} [#TOOL]: move the tool straight by this much"),
    "SPLINE": _("SPLINE … ENDSPLINE: a smooth curve through SPL, SLIN and SCIRC points"),
    "DECL": _("DECL type name: make a variable, as DECL INT i"),
    "INT": _("INT, REAL, BOOL, CHAR, FRAME, POS, E6POS, AXIS, E6AXIS: types, as REAL x"),
    "IF": _("IF condition THEN … ELSE … ENDIF: a decision"),
    "FOR": _("FOR i = 1 TO 5 [STEP 2] … ENDFOR: a loop that counts"),
    "WHILE": _("WHILE condition … ENDWHILE: a loop that may not begin"),
    "REPEAT": _("REPEAT … UNTIL condition: a loop that runs at least once"),
    "LOOP": _("LOOP … ENDLOOP: a loop that EXIT leaves"),
    "SWITCH": _("SWITCH value, CASE 1 …, DEFAULT …, ENDSWITCH: a decision between values"),
    "DEF": _("DEF name() … END: a routine"),
    "DEFFCT": _("DEFFCT type name() … ENDFCT: a routine that RETURNs a value"),
    "WAIT": _("WAIT SEC 0.5, WAIT FOR $IN[1]: wait for a time, or for a condition"),
    "TRIGGER": _("TRIGGER WHEN DISTANCE=0 DELAY=0 DO …: act at the start or end of the next motion"),
    "INTERRUPT": _("INTERRUPT DECL 10 WHEN condition DO …, INTERRUPT ON 10: act when a condition comes true"),
    "$OUT": _("$OUT[1] = TRUE: an output; $IN[1] is an input"),
    "$VEL": _("$VEL.CP = 0.2: the tool's speed, m/s; $VEL_AXIS[1] = 50: an axis', %"),
    "$TOOL": _("$TOOL = {{X 0, Y 0, Z 100, A 0, B 0, C 0}}: the tool; $BASE: the frame of positions"),
    "$AXIS_ACT": _("$AXIS_ACT, $POS_ACT: where the arm is, as axis values and as a position"),
}
GCODE: Mapping[str, str] = {
    "G0": _("G0 X Y Z: move at the machine's own speed"),
    "G1": _("G1 X Y Z F: move straight at feed F per minute"),
    "G2": _("G2 X Y I J: an arc clockwise; G3 the other way round"),
    "G4": _("G4 P0.5: wait (s)"),
    "G5": _("G5 X Y I J P Q: a cubic spline"),
    "G20": _("G20: inches; G21: millimetres"),
    "G38.2": _("G38.2 Z-10 F60: probe towards a part"),
    "G43": _("G43 H1: add the length of a tool; G49: none"),
    "G54": _("G54 … G59.3: which work offset; G10 L2 P1 X Y Z sets one"),
    "G61": _("G61: exact path; G64 P0.1: round corners by at most this much"),
    "G81": _("G81 X Y Z R: drill; G80 ends the cycle"),
    "G90": _("G90: absolute coordinates; G91: relative ones"),
    "M3": _("M3 S1000: spindle on; M5: off"),
    "M62": _("M62 P1: output 1 on with the next motion; M63: off; M64, M65: at once"),
    "M66": _("M66 P1 L3 Q5: wait for input 1, at most 5 s"),
    "O": _("O100 sub … O100 endsub, O100 call; O100 if, while, repeat: routines, decisions, loops"),
    "#": _("#1 = 5, #<name> = 3: parameters; [#1 * 2] computes"),
}
PYTHON: Mapping[str, str] = {
    "move_joints": _("move_joints([q1, …], speed=1, blend=0): move the joints (rad, m); speed is a share"),
    "move_line": _("move_line([x, y, z, a, b, c], speed=0.25, blend=0): move the tool straight (m, rad, m/s)"),
    "move_to": _("move_to([x, y, z, a, b, c], speed=1): move the joints to a pose of the tool"),
    "move_by": _("move_by([dx, dy, dz], speed=0.25): move the tool straight by this much (m)"),
    "move_arc": _("move_arc(via, end, speed=0.25): move the tool on an arc through a point"),
    "move_spline": _("move_spline([pose, …], speed=0.25): move the tool on a curve through poses"),
    "wait": _("wait(0.5): stand still (s)"),
    "wait_input": _('wait_input("1", True, timeout=5): wait for an input; tells whether it came'),
    "read_input": _('read_input("1"): the value of an input'),
    "set_output": _('set_output("1", True, pulse=0.2): give an output a value'),
    "pick": _('pick(), pick("cube"): take hold of a body; place(): let go of it'),
    "joints": _("joints(): where the joints are (rad, m); where(): the tool's pose [x, y, z, a, b, c]"),
    "print": _("print(x, …): tell the operator something"),
    "pause": _("pause(): wait until the operator resumes the program"),
    "radians": _("radians(90), radians([0, 90]): degrees to rad; mm(200): millimetres to m"),
    "for": _("for i in range(5): … – a loop; while, if, else, break, continue, def, return work as in Python"),
}
WORDS: Mapping[str, Mapping[str, str]] = {"krl": KRL, "gcode": GCODE, "python": PYTHON}
