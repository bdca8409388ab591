# A smooth closed contour: a curve through points that are computed.

move_joints(radians([0, -90, 110, 0, 70, 0]))
centre = where()

# A rose with three petals: r = 40 + 15 cos 3t, in millimetres.
points = []
steps = 24
for i in range(steps + 1):
    t = 2 * pi * i / steps
    r = mm(40) + mm(15) * cos(3 * t)
    points.append([centre[0] + r * cos(t), centre[1] + r * sin(t), centre[2] - mm(50)])

# Straight to the first point, then all others in one motion.
move_line(points[0], speed=0.2)
move_spline(points, speed=0.1)
move_line(centre)
