# Headers that are installed: the umbrella and its parts.
include_HEADERS += include/xylem.h
xylemincludedir = $(includedir)/xylem
xyleminclude_HEADERS =
