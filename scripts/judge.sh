#!/usr/bin/env bash
# Trains the judge and writes its weights into models/judge: scripts/judge.sh DATA WORK [option of train.py ...]. DATA is
# the folder of the sets that models/judge/manifest.json lists, WORK a folder for checkpoints; a run that was ended goes on
# there. Takes hours.
. "$(dirname "$0")/lib.sh"

[[ $# -ge 2 ]] || die judge "usage: scripts/judge.sh DATA WORK [option of train.py ...]"
data=$1 work=$2
shift 2
"$root/scripts/model.sh"
base=$cache/models/all-MiniLM-L6-v2
packages=$(python_tools judge jax==0.10.2 jaxlib==0.10.2 ml_dtypes==0.6.0 opt_einsum==3.4.0 scipy==1.17.1 numpy==2.4.6 \
  tokenizers==0.23.3 onnx==1.23.2 onnxruntime==1.31.1 protobuf==7.36.2 typing_extensions==4.16.0)
export PYTHONPATH=$packages
python3 -B "$root/models/judge/train.py" "$base" "$data" "$work" "$@"
[[ -e $work/judge.pickle ]] || exit 0 # ended before the last step
python3 -B "$root/models/judge/export.py" "$work/judge.pickle" "$base" "$root/models/judge"
