# Boxes from one place onto a pallet, layer by layer; output 1 is the vacuum.

rows = 2
columns = 3
layers = 2
pitch = mm(60)
height = mm(40)

# The place where boxes wait, and the first place of the pallet: 100 mm above each.
move_joints(radians([0, -90, 110, 0, 70, 0]))
home = where()
supply = [home[0], home[1] - mm(150), home[2]]
pallet = [home[0] - mm(60), home[1] + mm(60), home[2]]


# Goes over a place, down by `depth`, switches the vacuum, and up again.
def visit(place, depth, vacuum):
    move_line(place, speed=0.5)
    move_by([0, 0, -depth], speed=0.2)
    set_output("1", vacuum)
    wait(0.2)
    move_by([0, 0, depth], speed=0.2)


# One box after the other; each layer is higher by one box.
for layer in range(layers):
    for row in range(rows):
        for column in range(columns):
            visit(supply, mm(100), True)
            visit([pallet[0] + column * pitch, pallet[1] + row * pitch, pallet[2]], mm(100) - layer * height, False)
print("boxes:", rows * columns * layers)
