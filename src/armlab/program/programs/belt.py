# Pick and place with inputs: input 1 says that a part is there, input 2 that it is a good one; output 1 is the gripper.

move_joints(radians([0, -90, 110, 0, 70, 0]))
belt = where()
good = [belt[0], belt[1] + mm(150), belt[2]]
bad = [belt[0] - mm(80), belt[1] - mm(150), belt[2]]


# Down to the part, switch the gripper, up again.
def grip(closed):
    move_by([0, 0, mm(-80)], speed=0.2)
    set_output("1", closed)
    wait(0.3)
    move_by([0, 0, mm(80)], speed=0.2)


# Three parts; one that does not come within five seconds is left out.
sorted_out = 0
for i in range(3):
    move_line(belt, speed=0.5)
    if not wait_input("1", True, timeout=5):
        print("no part came")
        continue
    grip(True)

    # The second sensor decides where the part goes.
    if read_input("2"):
        move_line(good, speed=0.5)
    else:
        sorted_out += 1
        move_line(bad, speed=0.5)
    grip(False)
print("sorted out:", sorted_out)
