"""Figures of what armlab computes, drawn with Matplotlib, which is imported only when a figure is drawn."""
