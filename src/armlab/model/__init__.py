"""What an arm is: poses, joints, links, tools, robots, shapes. Frozen values without state."""
