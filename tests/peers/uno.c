/* An Arduino Uno in simavr, in lock step: `R <us> <hex bytes>` on standard input feeds the UART, runs for so long, and
 * answers one line: what the UART sent (hex, or -), then PIN:WIDTH in tenths of a microsecond for each pulse that ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim_avr.h"
#include "sim_hex.h"
#include "avr_ioport.h"
#include "avr_uart.h"

static avr_t *avr;
static unsigned char sent[65536];
static int sent_count;
static struct { int pin; double width; } pulses[4096];
static int pulse_count;
static avr_cycle_count_t risen[16];

static void on_byte(struct avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq; (void)param;
  if (sent_count < (int)sizeof sent) sent[sent_count++] = value;
}

static void on_pin(struct avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq;
  int pin = (int)(long)param;
  if (value) risen[pin] = avr->cycle;
  else if (risen[pin] && pulse_count < 4096) {
    pulses[pulse_count].pin = pin;
    pulses[pulse_count++].width = (avr->cycle - risen[pin]) / 1.6;
    risen[pin] = 0;
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  avr = avr_make_mcu_by_name("atmega328p");
  avr_init(avr);
  avr->frequency = 16000000;
  avr->log = 0;
  ihex_chunk_p chunks = NULL;
  int n = read_ihex_chunks(argv[1], &chunks);
  for (int i = 0; i < n; i++) avr_loadcode(avr, chunks[i].data, chunks[i].size, chunks[i].baseaddr);
  uint32_t off = 0;
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &off);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_byte, NULL);
  avr_irq_t *in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
  int used[] = {11, 10, 9, 6, 5};
  for (int i = 0; i < 5; i++) {
    char port = used[i] >= 8 ? 'B' : 'D';
    int bit = used[i] >= 8 ? used[i] - 8 : used[i];
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(port), bit), on_pin, (void *)(long)used[i]);
  }
  static char text[262144];
  while (fgets(text, sizeof text, stdin)) {
    char *hex = NULL;
    long us = strtol(text + 1, &hex, 10);
    while (*hex == ' ') hex++;
    avr_cycle_count_t end = avr->cycle + us * 16, next = avr->cycle;
    sent_count = pulse_count = 0;
    while (avr->cycle < end) {
      unsigned value;
      if (avr->cycle >= next && sscanf(hex, "%2x", &value) == 1) {
        avr_raise_irq(in, value);
        hex += 2;
        next = avr->cycle + 1389;
      }
      int state = avr_run(avr);
      if (state == cpu_Done || state == cpu_Crashed) return 3;
    }
    if (!sent_count) printf("-");
    for (int i = 0; i < sent_count; i++) printf("%02x", sent[i]);
    for (int i = 0; i < pulse_count; i++) printf(" %d:%.0f", pulses[i].pin, pulses[i].width);
    printf("\n");
    fflush(stdout);
  }
  return 0;
}
