# Pages and the manual.
