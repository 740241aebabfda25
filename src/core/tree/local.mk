# Components, expressions, trees.
libxylem_all_la_SOURCES += src/core/tree/audit.c src/core/tree/audit.h
libxylem_all_la_SOURCES += src/core/tree/audit_report.c
libxylem_all_la_SOURCES += src/core/tree/audit_trail.c
if DEBUG
libxylem_all_la_SOURCES += src/core/tree/audit_on.c
else
libxylem_all_la_SOURCES += src/core/tree/audit_off.c
endif
libxylem_all_la_SOURCES += src/core/tree/component.c src/core/tree/component.h
libxylem_all_la_SOURCES += src/core/tree/divide.c
libxylem_all_la_SOURCES += src/core/tree/expression.c src/core/tree/expression.h
libxylem_all_la_SOURCES += src/core/tree/expression_error.c
libxylem_all_la_SOURCES += src/core/tree/expression_names.c src/core/tree/expression_parts.h
libxylem_all_la_SOURCES += src/core/tree/expression_options.c src/core/tree/expression_token.c
libxylem_all_la_SOURCES += src/core/tree/expression_unknown.c
libxylem_all_la_SOURCES += src/core/tree/hooks.c src/core/tree/hooks.h
libxylem_all_la_SOURCES += src/core/tree/lock.c src/core/tree/lock.h
libxylem_all_la_SOURCES += src/core/tree/offer.c src/core/tree/offer.h
libxylem_all_la_SOURCES += src/core/tree/option.c src/core/tree/option.h
libxylem_all_la_SOURCES += src/core/tree/queue_pass.c
libxylem_all_la_SOURCES += src/core/tree/registry.c src/core/tree/registry.h
libxylem_all_la_SOURCES += src/core/tree/ticks.c src/core/tree/ticks.h
libxylem_all_la_SOURCES += src/core/tree/tree.c src/core/tree/tree.h
libxylem_all_la_SOURCES += src/core/tree/tree_equal.c
libxylem_all_la_SOURCES += src/core/tree/tree_fault.c
libxylem_all_la_SOURCES += src/core/tree/tree_link.c
libxylem_all_la_SOURCES += src/core/tree/tree_parse.c
libxylem_all_la_SOURCES += src/core/tree/tree_parts.h
libxylem_all_la_SOURCES += src/core/tree/tree_print.c src/core/tree/tree_print.h
libxylem_all_la_SOURCES += src/core/tree/tree_print_dot.c
libxylem_all_la_SOURCES += src/core/tree/tree_print_drawing.c
libxylem_all_la_SOURCES += src/core/tree/tree_print_expression.c
libxylem_all_la_SOURCES += src/core/tree/tree_print_fold.c src/core/tree/tree_print_fold.h
libxylem_all_la_SOURCES += src/core/tree/tree_print_join.c src/core/tree/tree_print_join.h
libxylem_all_la_SOURCES += src/core/tree/tree_print_json.c
libxylem_all_la_SOURCES += src/core/tree/tree_print_links.c src/core/tree/tree_print_links.h
libxylem_all_la_SOURCES += src/core/tree/tree_rules.h
libxylem_all_la_SOURCES += src/core/tree/tree_rules_flow.c
libxylem_all_la_SOURCES += src/core/tree/tree_rules_shape.c
libxylem_all_la_SOURCES += src/core/tree/tree_seal.c
libxylem_all_la_SOURCES += src/core/tree/tree_source.c
libxylem_all_la_SOURCES += src/core/tree/tree_teams.c src/core/tree/tree_teams.h
