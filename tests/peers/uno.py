"""Our firmware on an emulated Arduino Uno (simavr), in lock step: built from the sketch with Debian's compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which

CORE = Path("/usr/share/arduino/hardware/arduino/avr")
HERE = Path(__file__).parent
NEEDED = ("avr-g++", "avr-gcc", "avr-objcopy", "gcc")
LEFT_OUT = {"WString.cpp", "CDC.cpp", "PluggableUSB.cpp", "USBCore.cpp", "IPAddress.cpp", "Tone.cpp", "new.cpp"}
BYTE_S = 10 / 115200
FLAGS = [
    "-mmcu=atmega328p",
    "-DF_CPU=16000000L",
    "-DARDUINO=10807",
    "-Os",
    "-ffunction-sections",
    "-fdata-sections",
    "-w",
]


def missing() -> str:
    """What of the tools is not installed; empty if all of it is."""
    tools = [name for name in NEEDED if which(name) is None]
    paths = [str(path) for path in (CORE, Path("/usr/include/simavr/sim_avr.h")) if not path.exists()]
    return ", ".join([*tools, *paths])


def build(folder: Path, sketch: str) -> tuple[Path, Path]:
    """Compile the sketch to a hex file, and the emulator around it; return both."""
    include = [f"-I{CORE}/cores/arduino", f"-I{CORE}/variants/standard"]
    source = folder / "sketch.cpp"
    source.write_text(sketch, encoding="utf-8")
    objects = []
    for path in [source, *sorted((CORE / "cores/arduino").glob("*.c*"))]:
        if path.name in LEFT_OUT:
            continue
        compiler = ["avr-gcc", "-std=gnu11"] if path.suffix == ".c" else ["avr-g++", "-std=gnu++11", "-fno-exceptions"]
        objects.append(str(folder / f"{path.name}.o"))
        subprocess.run([*compiler, *FLAGS, *include, "-c", str(path), "-o", objects[-1]], check=True)
    elf, hexadecimal, emulator = folder / "sketch.elf", folder / "sketch.hex", folder / "uno"
    subprocess.run(["avr-gcc", *FLAGS, "-Wl,--gc-sections", *objects, "-o", str(elf), "-lm"], check=True)
    subprocess.run(["avr-objcopy", "-O", "ihex", "-R", ".eeprom", str(elf), str(hexadecimal)], check=True)
    simavr = ["-I/usr/include/simavr", str(HERE / "uno.c"), "-o", str(emulator), "-lsimavr", "-lm"]
    subprocess.run(["gcc", "-O2", "-w", *simavr], check=True)
    return hexadecimal, emulator


class EmulatedUno:
    """A peer: bytes in, bytes out, and the pulses of its servos in tenths of a microsecond."""

    def __init__(self, hexadecimal: Path, emulator: Path) -> None:
        self._process = subprocess.Popen(
            [str(emulator), str(hexadecimal)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._in = b""
        self.time = 0.0
        self.pulses: list[tuple[float, int, float]] = []
        """(time at the end of the step, pin, width) of all pulses so far."""

    def connected(self) -> None:
        """The board goes on: nothing resets it here."""

    def receive(self, data: bytes) -> None:
        self._in += data

    def advance(self, seconds: float) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        count = int(seconds / BYTE_S)  # the rest is still on the wire
        self._process.stdin.write(f"R {round(seconds * 1e6)} {self._in[:count].hex()}\n")
        self._process.stdin.flush()
        self._in = self._in[count:]
        self.time += seconds
        while True:
            sent, *widths = self._process.stdout.readline().split()
            if sent == "-" or set(sent) <= set("0123456789abcdef"):
                break
        self.pulses += [(self.time, int(pin), float(width)) for pin, width in (one.split(":") for one in widths)]
        return b"" if sent == "-" else bytes.fromhex(sent)

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
