"""The generated appearance of an arm: skin, limbs, skeleton."""
