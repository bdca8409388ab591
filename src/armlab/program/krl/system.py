"""The controller's own variables ($…): their types, and what they are when a program begins.

Inputs, outputs, timers and where the arm is are not here: they are asked for or told while the program runs.
"""

from __future__ import annotations

from armlab.program.krl.data_types import ANY, BOOL, E6AXIS, FRAME, INT, REAL, DataType, Value, new_array

NULLFRAME: dict[str, Value] = {"X": 0.0, "Y": 0.0, "Z": 0.0, "A": 0.0, "B": 0.0, "C": 0.0}
AXES = 12
"""How many axes a controller counts: six of the arm, six external ones."""
NUMBERED = {"IN": 8192, "OUT": 8192, "ANIN": 32, "ANOUT": 32, "TIMER": 64, "FLAG": 1024, "CYCFLAG": 256}
FRAMES = 128
"""How many tools and bases $config.dat has room for."""

DEFAULTS = {
    "DEF_VEL_CP": 2.0, "DEF_VEL_ORI1": 200.0, "DEF_VEL_ORI2": 200.0, "DEF_ACC_CP": 2.3, "DEF_ACC_ORI1": 100.0,
    "DEF_ACC_ORI2": 100.0, "DEF_VEL_PTP": 100.0, "DEF_APO_CPTP": 50.0, "DEF_APO_CDIS": 3.0, "DEF_APO_CORI": 5.0,
    "DEF_APO_CVEL": 100.0, "DEF_ADVANCE": 3.0,
}  # fmt: skip
"""Speeds (m/s, °/s, %), accelerations and distances (mm, °, %) that BAS begins with."""

INPUTS = {"$IN": BOOL, "$ANIN": REAL}
OUTPUTS = {"$OUT": BOOL, "$ANOUT": REAL}
ARM = {"$POS_ACT": "E6POS", "$POS_ACT_MES": "E6POS", "$AXIS_ACT": "E6AXIS", "$AXIS_ACT_MEAS": "E6AXIS",
       "$POS_INT": "E6POS", "$AXIS_INT": "E6AXIS", "$POS_RET": "E6POS", "$AXIS_RET": "E6AXIS",
       "$POS_FOR": "E6POS", "$AXIS_FOR": "E6AXIS"}  # fmt: skip
"""Where the arm is, was when an interrupt came, left its path, and will be."""
CLOCKS = {"$TIMER": INT, "$TIMER_FLAG": BOOL, "$TIMER_STOP": BOOL}


OFF = ("$T1", "$T2", "$EXT", "$POWER_FAIL", "$ROB_STOPPED", "$CONF_MESS", "$EXT_START", "$DRIVES_OFF")
ON = ("$AUT", "$PRO_ACT", "$PRO_MOVE", "$ON_PATH", "$ROB_CAL", "$I_O_ACT", "$I_O_ACTCONF", "$RC_RDY1",
      "$ALARM_STOP_INTERN", "$DRIVES_ON", "$MOVE_ENABLE", "$COULD_START_MOTION")  # fmt: skip
"""What a controller tells of itself while a program runs in automatic mode."""


def no_error() -> dict[str, Value]:
    """Return $ERR where nothing went wrong."""
    return {"NUMBER": 0, "INT_PRIO": 0, "LINE_NR": 0, "MODULE": [None] * 24, "UP_NAME": [None] * 24}


def _percent(value: float) -> list[Value]:
    return [value] * AXES


def initial_values() -> dict[str, tuple[DataType, Value]]:
    """Return every system variable with its type and its value at the beginning; None: not assigned."""
    axis, speed = DataType("INT", 1), DataType("CP")
    return {
        "$NULLFRAME": (FRAME, dict(NULLFRAME)),
        "$WORLD": (FRAME, dict(NULLFRAME)),
        "$ROBROOT": (FRAME, dict(NULLFRAME)),
        "$TOOL": (FRAME, dict(NULLFRAME)),
        "$BASE": (FRAME, dict(NULLFRAME)),
        "$ACT_TOOL": (INT, 0),
        "$ACT_BASE": (INT, 0),
        "$LOAD": (DataType("LOAD"), None),
        "$LOAD_A3": (DataType("LOAD"), None),
        "$IPO_MODE": (DataType("IPO_MODE"), "BASE"),
        "$VEL": (speed, {"CP": 2.0, "ORI1": 200.0, "ORI2": 200.0}),
        "$ACC": (speed, {"CP": 2.3, "ORI1": 100.0, "ORI2": 100.0}),
        "$APO": (DataType("APO"), {"CPTP": 50, "CDIS": 3.0, "CORI": 5.0, "CVEL": 100.0}),
        "$VEL_AXIS": (axis, _percent(100)),
        "$ACC_AXIS": (axis, _percent(100)),
        "$VEL_PTP": (REAL, 100.0),
        "$ACC_PTP": (REAL, 100.0),
        "$OV_PRO": (INT, 100),
        "$OV_ROB": (INT, 100),
        "$ADVANCE": (INT, 3),
        "$ORI_TYPE": (DataType("ORI_TYPE"), "VAR"),
        "$CIRC_TYPE": (DataType("CIRC_TYPE"), "BASE"),
        "$BWDSTART": (BOOL, False),
        "$STOPMESS": (BOOL, False),
        "$STOPNOAPROX": (BOOL, False),
        "$MODE_OP": (DataType("MODE_OP"), "AUT"),
        "$H_POS": (E6AXIS, None),
        "$FLAG": (DataType("BOOL", 1), [False] * NUMBERED["FLAG"]),
        "$CYCFLAG": (DataType("BOOL", 1), [False] * NUMBERED["CYCFLAG"]),
        "$PERI_RDY": (BOOL, True),
        "$ALARM_STOP": (BOOL, True),
        "$USER_SAF": (BOOL, True),
        "$IN_HOME": (BOOL, False),
        "$ROB_TIMER": (INT, 0),
        "$SINGUL_POS": (DataType("INT", 1), [0, 0, 0]),
        "$TORQ_DIFF": (DataType("REAL", 1), new_array((AXES,))),
        "$CYCLE": (INT, 12),
        "$ERR": (DataType("ERROR_T"), no_error()),
        **dict.fromkeys(OFF, (BOOL, False)),
        **dict.fromkeys(ON, (BOOL, True)),
        **{name: (DataType("PRO_STATE"), "P_ACTIVE") for name in ("$PRO_STATE", "$PRO_STATE0", "$PRO_STATE1")},
    }


def frames_of_config() -> dict[str, tuple[DataType, Value]]:
    """Return what $config.dat declares on every controller, for programs that come without it."""

    def frames() -> list[Value]:
        return [dict(NULLFRAME) for _number in range(FRAMES)]

    names = [[" "] * 24 for _number in range(FRAMES)]
    home = {"A1": 0.0, "A2": -90.0, "A3": 90.0, "A4": 0.0, "A5": 0.0, "A6": 0.0}
    home |= {f"E{number}": 0.0 for number in range(1, 7)}
    stand = {"TOOL_NO": 1, "BASE_NO": 0, "IPO_FRAME": "BASE", "POINT2": [" "], "TQ_STATE": False}
    return {
        "TOOL_DATA": (DataType("FRAME", 1), frames()),
        "BASE_DATA": (DataType("FRAME", 1), frames()),
        "LOAD_DATA": (DataType("LOAD", 1), new_array((FRAMES,))),
        "TOOL_NAME": (DataType("CHAR", 2), names),
        "BASE_NAME": (DataType("CHAR", 2), [list(name) for name in names]),
        "TOOL_TYPE": (DataType("IPO_M_T", 1), ["BASE"] * FRAMES),
        "BASE_TYPE": (DataType("IPO_M_T", 1), ["TCP"] * FRAMES),
        "PDAT_ACT": (DataType("PDAT"), None),
        "LDAT_ACT": (DataType("LDAT"), None),
        "FDAT_ACT": (DataType("FDAT"), dict(stand)),
        "PDEFAULT": (DataType("PDAT"), {"VEL": 100.0, "ACC": 100.0, "APO_DIST": 100.0, "APO_MODE": "CPTP"}),
        "FHOME": (DataType("FDAT"), dict(stand)),
        "LDEFAULT": (DataType("LDAT"), {"VEL": 2.0, "ACC": 100.0, "APO_DIST": 100.0, "APO_FAC": 50.0}),
        "XHOME": (E6AXIS, home),
        **{f"XHOME{number}": (E6AXIS, dict(home)) for number in range(1, 6)},
        **{name: (REAL, value) for name, value in DEFAULTS.items()},
        "SUCCESS": (INT, None),
        "DUMMY": (ANY, 0),
        "GDEFAULT": (ANY, 0),
    }
