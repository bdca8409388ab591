"""What follows from an arm's geometry: how far it reaches."""
