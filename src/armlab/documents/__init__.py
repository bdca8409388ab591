"""Documents that people read and print: neutral blocks, written as Markdown, LaTeX or HTML."""
