// armlab-braccio 1: firmware for a Tinkerkit Braccio on an Arduino Uno, for `armlab connect` and `armlab run --on`.
// Lines with a CRC at 115200 baud; docs/twin.md describes them. License: MIT, as armlab.
//
// What it promises: pulses begin only after E; no pulse changes faster than 1 degree in 10 ms; when nothing is heard for
// 250 ms the arm holds, and only E ends that. It is not a safety device: to be safe, switch the power off.

#include <Arduino.h>
#include <util/crc16.h>

static const char FIRMWARE[] = "armlab-braccio 1";
static const char SERIAL_NUMBER[] = "1";  // tell two boards apart: change it, and the link file's identity.serial
static const bool FEEDBACK = false;       // true: potentiometers of the servos are wired to A0 ... A4

static const uint8_t N = 5;
static const uint8_t PINS[N] = {11, 10, 9, 6, 5};  // base, shoulder, elbow, wrist up and down, wrist rotation
static const uint8_t SOFT_START = 12;              // the shield's power switch of the servos
static const uint16_t WATCHDOG_MS = 250, TELEMETRY_MS = 20, SOFT_START_MS = 2000, STEP_MS = 10;
static const int32_t LEAST = 4000, MOST = 26000;   // tenths of a microsecond
static const int32_t STEP = 103;                   // 1 degree of a servo of 544 ... 2400 us and 180 degrees
static const uint16_t FRAME_TICKS = 40000;         // 20 ms in half microseconds
static const uint8_t RISE = 8;                     // a pulse rises so much later in the interrupt than it falls
static const uint8_t ENABLED = 1, TRIPPED = 2;

static volatile uint16_t ticks[N];
static volatile uint8_t *ports[N];
static uint8_t masks[N];
static int32_t pulses[N], from[N], to[N];
static uint32_t begun, heard, enabled_at, told, stepped;
static uint16_t lasts, acked, count;
static uint8_t flags;
static char line[100];
static uint8_t length;
static bool overflow;

// One servo after the other; what is left of 20 ms is the pause. OCR1A is counted on, so that no pulse is late.
ISR(TIMER1_COMPA_vect) {
  static uint8_t channel = N;
  static uint16_t used;
  if (channel < N) *ports[channel] &= ~masks[channel];
  channel = channel < N ? channel + 1 : 0;
  if (channel == 0) used = 0;
  uint16_t wait = FRAME_TICKS - used;
  if (channel < N) {
    wait = ticks[channel] ? ticks[channel] + RISE : 3000;
    if (ticks[channel]) *ports[channel] |= masks[channel];
    used += wait;
  }
  OCR1A += wait;
}

static void set_ticks() {
  for (uint8_t i = 0; i < N; i++) {
    uint16_t value = flags & ENABLED ? pulses[i] / 5 : 0;
    noInterrupts();
    ticks[i] = value;
    interrupts();
  }
}

static void hold() {
  for (uint8_t i = 0; i < N; i++) from[i] = to[i] = pulses[i];
  lasts = 0;
}

// -- what is sent -----------------------------------------------------------------------------------------------------

static char out[160];
static uint8_t size;

static void put(const char *text) {
  while (*text && size < sizeof out - 8) out[size++] = *text++;
}

static void put(int32_t value) {
  char digits[12];
  if (size) put(",");
  ltoa(value, digits, 10);
  put(digits);
}

static void finish() {
  static const char HEX_DIGITS[] = "0123456789ABCDEF";
  uint16_t crc = 0xFFFF;
  for (uint8_t i = 0; i < size; i++) crc = _crc_xmodem_update(crc, out[i]);
  out[size++] = '*';
  for (int8_t shift = 12; shift >= 0; shift -= 4) out[size++] = HEX_DIGITS[(crc >> shift) & 15];
  out[size++] = '\n';
  Serial.write((const uint8_t *)out, size);
  size = 0;
}

static void banner() {
  put("B,");
  put(FIRMWARE);
  put(",");
  put(SERIAL_NUMBER);
  put((int32_t)N);
  put((int32_t)WATCHDOG_MS);
  finish();
}

static void answer(uint16_t sequence, uint8_t reason) {
  put("A");
  put((int32_t)sequence);
  put((int32_t)reason);
  finish();
}

static void telemetry() {
  put("T");
  put((int32_t)++count);
  char millis_text[12];
  ultoa(millis(), millis_text, 10);
  put(",");
  put(millis_text);
  put((int32_t)flags);
  put((int32_t)acked);
  for (uint8_t i = 0; i < N; i++) put(pulses[i]);
  for (uint8_t i = 0; i < N; i++) put(FEEDBACK ? (int32_t)analogRead(A0 + i) : (int32_t)-1);
  finish();
}

// -- what is heard ----------------------------------------------------------------------------------------------------

static bool fits(const int32_t *values, uint8_t given) {
  if (given != N) return false;
  for (uint8_t i = 0; i < N; i++)
    if (values[i] < LEAST || values[i] > MOST) return false;
  return true;
}

static uint8_t enable(uint16_t sequence, const int32_t *values, uint8_t given) {
  if (!fits(values, given)) return 4;
  if (!(flags & ENABLED)) {  // a board that holds already does not move
    for (uint8_t i = 0; i < N; i++) pulses[i] = values[i];
    enabled_at = millis();
  }
  hold();
  flags = ENABLED;
  acked = sequence;
  heard = millis();
  set_ticks();
  return 0;
}

static uint8_t setpoint(const int32_t *values, uint8_t given) {
  if (!(flags & ENABLED)) return 1;
  if (flags & TRIPPED) return 2;
  uint16_t ahead = given < 2 ? 0 : (uint16_t)values[0] - acked;
  if (ahead == 0 || ahead >= 32768U) return 3;
  if (values[1] <= 0 || values[1] > 10000 || !fits(values + 2, given - 2)) return 4;
  acked = values[0];
  heard = begun = millis();
  lasts = values[1];
  for (uint8_t i = 0; i < N; i++) {
    from[i] = pulses[i];
    to[i] = values[i + 2];
  }
  return 0;
}

static void take(char *body) {
  int32_t values[N + 3];
  uint8_t given = 0;
  char kind = body[0];
  char *at = body + 1;
  while (*at == ',' && given < N + 3) {
    char *end;
    values[given++] = strtol(at + 1, &end, 10);
    if (end == at + 1) return;
    at = end;
  }
  if (*at || !given) return;
  uint16_t sequence = values[0];
  switch (kind) {
    case 'I': banner(); break;
    case 'K': heard = millis(); break;
    case 'H': hold(); answer(sequence, 0); break;
    case 'O': hold(); flags = 0; set_ticks(); digitalWrite(SOFT_START, LOW); answer(sequence, 0); break;
    case 'E': answer(sequence, enable(sequence, values + 1, given - 1)); break;
    case 'S': answer(sequence, setpoint(values, given)); break;
  }
}

static void check_line() {
  if (overflow || length < 6 || line[length - 5] != '*') return;
  uint16_t crc = 0xFFFF;
  for (uint8_t i = 0; i < length - 5; i++) crc = _crc_xmodem_update(crc, line[i]);
  line[length] = 0;
  char *end;
  if ((uint16_t)strtol(line + length - 4, &end, 16) != crc || *end) return;
  line[length - 5] = 0;
  take(line);
}

static void listen() {
  while (Serial.available()) {
    char c = Serial.read();
    if (c == '\n') {
      check_line();
      length = 0;
      overflow = false;
    } else if (length < sizeof line - 1) {
      line[length++] = c;
    } else {
      overflow = true;
    }
  }
}

// -- what is done -----------------------------------------------------------------------------------------------------

static void step_pulses(uint32_t now) {
  if ((uint16_t)(now - stepped) < STEP_MS) return;
  stepped = now;
  uint32_t done = now - begun;
  for (uint8_t i = 0; i < N; i++) {
    int32_t goal = done >= lasts ? to[i] : from[i] + (to[i] - from[i]) * (int32_t)done / lasts;
    pulses[i] += constrain(goal - pulses[i], -STEP, STEP);
  }
  set_ticks();
}

// The power of the servos comes on in 2 s, so that an arm that does not rest where it was said to moves slowly.
static void soft_start(uint32_t now) {
  if (!(flags & ENABLED)) return;
  uint32_t since = now - enabled_at;
  uint16_t duty = since >= SOFT_START_MS ? 1024 : 80 + since / 2;
  digitalWrite(SOFT_START, (micros() & 1023) < duty ? HIGH : LOW);
}

void setup() {
  pinMode(SOFT_START, OUTPUT);
  digitalWrite(SOFT_START, LOW);
  for (uint8_t i = 0; i < N; i++) {
    pinMode(PINS[i], OUTPUT);
    ports[i] = portOutputRegister(digitalPinToPort(PINS[i]));
    masks[i] = digitalPinToBitMask(PINS[i]);
  }
  Serial.begin(115200);
  TCCR1A = 0;
  TCCR1B = _BV(CS11);  // half microseconds
  OCR1A = FRAME_TICKS;
  TIMSK1 = _BV(OCIE1A);
  banner();
}

void loop() {
  listen();
  uint32_t now = millis();
  if (flags == ENABLED && now - heard > WATCHDOG_MS) {
    hold();
    flags |= TRIPPED;
  }
  step_pulses(now);
  soft_start(now);
  if (now - told >= TELEMETRY_MS) {
    told = now;
    telemetry();
  }
}
