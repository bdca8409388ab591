"""What other programs see of a real arm: one publisher per protocol; each has a slot for the latest, and no queue.

They only publish: nothing that comes in moves an arm. All listen on this machine alone, because none has a password.
"""
