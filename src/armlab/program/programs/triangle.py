# A triangle and a circle, drawn with a pen.

# The arm begins in a posture away from singularities; from there the tool's orientation is kept.
move_joints(radians([0, -90, 110, 0, 70, 0]))
start = where()
up = mm(20)


# Goes to a corner; x and y count from where the pen begins, in millimetres.
def line_to(x, y):
    move_line([start[0] + mm(x), start[1] + mm(y), start[2] - up], speed=0.15, blend=mm(1))


# Pen down, three sides, pen up.
line_to(0, 0)
for corner in [[80, 0], [40, 70], [0, 0]]:
    line_to(corner[0], corner[1])
move_by([0, 0, up])

# The circle is made of two arcs.
radius = mm(15)
x, y, z = [start[0] + mm(40), start[1] + mm(25), start[2]]
move_line([x + radius, y, z])
move_line([x + radius, y, z - up])
move_arc([x, y + radius, z - up], [x - radius, y, z - up], speed=0.1)
move_arc([x, y - radius, z - up], [x + radius, y, z - up], speed=0.1)
move_by([0, 0, up])
print("drawn")
