"""The living mathematics: every formula of an arm derived as symbols, with the numbers to check it."""
