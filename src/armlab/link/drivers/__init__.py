"""What speaks with one kind of arm each; a driver never waits."""
