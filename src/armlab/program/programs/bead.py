# A weld along an edge and around its corner, with a weave; output 5 is the torch.

# Above the beginning of the seam.
move_joints(radians([-10, -85, 105, 0, 70, 0]))
begin = where()
depth = mm(60)
stitch = mm(6)
width = mm(2)

# Down, torch on, and half a second to build the pool.
move_by([0, 0, -depth], speed=0.1)
set_output("5", True)
wait(0.5)

# Weave: every stitch swings to one side and to the other, with rounded corners.
for i in range(12):
    move_by([stitch / 2, width, 0], speed=0.03, blend=mm(0.5))
    move_by([stitch / 2, -width, 0], speed=0.03, blend=mm(0.5))

# The corner is a quarter of a circle of 15 mm, then the short side.
x, y, z = [begin[0] + 12 * stitch, begin[1], begin[2] - depth]
r = mm(15)
move_line([x, y, z], speed=0.03)
move_arc([x + r * sin(pi / 4), y + r * (1 - cos(pi / 4)), z], [x + r, y + r, z], speed=0.02)
move_by([0, mm(30), 0], speed=0.03)

# Fill the crater, torch off, and away.
wait(0.3)
set_output("5", False)
move_by([0, 0, depth])
