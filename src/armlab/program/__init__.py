"""Programs: instructions, and the files that become them."""
