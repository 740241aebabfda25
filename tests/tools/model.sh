#!/bin/sh
# SPDX-License-Identifier: MIT
# xylem model: on files of StarPU, on our own, and on broken ones. Needs ./xylem of the build folder.
tool=./xylem
data=${srcdir:-.}/tests/core/perf/starpu
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0
unset XYLEM_HOST XYLEM_CALIBRATE NO_COLOR

# expect STATUS TEXT COMMAND...: the exit status, and a text in the output.
expect() {
	status=$1
	text=$2
	shift 2
	"$@" >"$work/out" 2>&1
	found=$?
	if [ $found -ne "$status" ] || { [ "$text" ] && ! grep -qF -- "$text" "$work/out"; }; then
		echo "FAILED: $* gives $found instead of $status, or not \"$text\":"
		cat "$work/out"
		failures=$((failures + 1))
	fi
}

XYLEM_MODELS=$work/models
export XYLEM_MODELS
mkdir "$XYLEM_MODELS"
expect 0 'no models in' $tool model list
cp "$data"/*.mirage "$data"/*.idgraf "$data"/mirage.* "$XYLEM_MODELS"
expect 0 'chol_model_gemm                  mirage           StarPU' $tool model list
expect 0 'starpu_dlu_lu_model_gemm' $tool model list --host idgraf
expect 0 'synthetic' $tool model show chol_model_gemm --host mirage
expect 0 '24c84a50' $tool model show "$data/chol_model_gemm.mirage"
expect 0 'chol_model_syrk on mirage: 8 rows; 8 synthetic' $tool model check chol_model_syrk --host mirage
expect 0 'add_scal on mirage: 1 rows; nothing to note' $tool model check
expect 0 'microseconds over size' $tool model plot chol_model_gemm --host mirage
expect 0 '' $tool model plot chol_model_gemm --host mirage --svg "$work/plot.svg"
expect 0 '<circle' cat "$work/plot.svg"
expect 0 '</svg>' cat "$work/plot.svg"
expect 1 'has no rows' $tool model plot null --host idgraf
expect 3 'No such file' $tool model plot "$data/add_scal.mirage" --svg "$work/no/plot.svg"
expect 1 'no model "nothing"' $tool model show nothing --host mirage
expect 2 'needs the name' $tool model show
expect 2 'usage: xylem model' $tool model draw
expect 2 'usage: xylem model' $tool model
expect 0 'usage: xylem model' $tool model --help
cat >"$XYLEM_MODELS/own.here.model" <<EOF
xylem model 1
name own
host here
kind linear
saved 1700000000
row cpu 0 0000abcd 1024 190.5 2.25 191 3 4697 3000 1 1700000000
end
EOF
expect 0 'own on here: 1 rows; 1 with more than a tenth of outliers; 1 have drifted' $tool model check own --host here
expect 0 'linear' $tool model show own --host here
echo 'xylem model 1' >"$XYLEM_MODELS/broken.here.model"
expect 1 'broken.here.model: line 1: the end is missing' $tool model check
expect 1 'broken.here.model: line 1: the end is missing' $tool model show broken --host here
XYLEM_MODELS=none
expect 0 'XYLEM_MODELS is none' $tool model list
echo "$failures failures"
[ $failures -eq 0 ]
