"""Writes the trained judge as an ONNX graph with 8-bit weights: export.py PARAMETERS BASE OUTPUT.

PARAMETERS is what train.py wrote, BASE the folder of the sentence encoder it began with, OUTPUT a folder that gets
`judge.int8.onnx` and `tokenizer.json`. The graph takes `input_ids`, `token_type_ids` and `attention_mask` and gives
`verdict` (the shares of: supports, contradicts, does not address), `answers` (from 0 to 1) and `span` (for each token how
likely the answer begins and ends there, in log odds). Before the files are put in place the graph is compared with the same
network in 32-bit arithmetic. The same input gives the same bytes.
"""

import pickle
import shutil
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import model

# Pairs that show which channels carry large numbers, and that the result is compared on.
PAIRS = [
    ("The pier was built in 1874.", "The pier, 412 metres long, was built in 1874 by the harbour board. It is grey."),
    ("The pier was built in 1899.", "The pier, 412 metres long, was built in 1874 by the harbour board. It is grey."),
    ("How long is the pier?", "The pier, 412 metres long, was built in 1874 by the harbour board. It is grey."),
    ("Who rebuilt the lighthouse?", "The pier, 412 metres long, was built in 1874 by the harbour board. It is grey."),
    ("Interest rates did not rise.", "Interest rates rose by 0.25 points, while unemployment stayed at 4.1 % for the third month."),
    ("Enzymes are proteins.", "Enzymes lower the activation energy of a reaction; most of them are proteins, and some are built of RNA."),
    ("In which year was the first textbook on probability printed?", "He wrote the first textbook on the theory of probability. It was printed in 1657 in Leiden."),
    ("The court upheld the clause.", "The court held that the clause was void because it left the buyer without any remedy whatsoever."),
    ("Why was the clause void?", "The court held that the clause was void because it left the buyer without any remedy whatsoever."),
    ("Seven members voted for publication.", "The committee met on 12 March 1987 and agreed, by seven votes to two, that the report should be published in full."),
]


class TrainedNetwork:
    """The trained parameters, by the names that the graph's writer uses."""

    def __init__(self, parameters: dict):
        self.heads, self.epsilon = 12, 1e-12
        self.words, self.positions, self.types = parameters["words"], parameters["positions"], parameters["types"]
        self.width = self.words.shape[1]
        self.norm = parameters["norm"]["g"], parameters["norm"]["b"]
        self.judging = {name: (part["w"], part["b"]) for name, part in parameters["heads"].items()}
        self.layers, number = [], 0
        while (layer := parameters.get(f"layer{number}")) is not None:
            linear = {name: (layer[name]["w"], layer[name]["b"]) for name in ("qkv", "attended", "inner", "outer")}
            norms = {name: (layer[name]["g"], layer[name]["b"]) for name in ("attended norm", "outer norm")}
            self.layers.append(linear | norms)
            number += 1


def exactly(network: TrainedNetwork, ids: list[int], types: list[int], peaks: dict):
    x = model.exact_states(network, ids, peaks, types)

    def head(name, x):
        return x @ network.judging[name][0] + network.judging[name][1]

    pooled = np.tanh(head("pool", np.concatenate([x[0], x.mean(0)])))
    verdict = np.exp(head("verdict", pooled))
    return verdict / verdict.sum(), 1 / (1 + np.exp(-head("answers", pooled)[0])), head("span", x)


def write(network: TrainedNetwork, peaks: dict) -> bytes:
    graph = model.Graph()
    x = model.write_encoder(graph, network, peaks, types="token_type_ids")
    one = graph.constant("one", np.array([1], np.int64))
    count = graph.add("Cast", [graph.add("ReduceSum", ["attention_mask", one], keepdims=1)], to=TensorProto.FLOAT)
    mean = graph.add("Div", [model.sum_of_tokens(graph, x), count])
    first = graph.add("Squeeze", [graph.add("Gather", [x, graph.constant("first", np.array([0], np.int64))], axis=1), one])

    def head(name, x, output=1):
        weight, bias = (graph.constant(f"{name}.{part}", value) for part, value in zip(("weight", "bias"), network.judging[name]))
        return graph.add("Add", [graph.add("MatMul", [x, weight]), bias], outputs=output)

    pooled = graph.add("Tanh", [head("pool", graph.add("Concat", [first, mean], axis=-1))])
    graph.add("Softmax", [head("verdict", pooled)], outputs="verdict", axis=-1)
    graph.add("Sigmoid", [head("answers", pooled)], outputs="answers")
    head("span", x, "span")
    return model.finish(
        graph,
        "judge",
        ["input_ids", "token_type_ids", "attention_mask"],
        {"verdict": [3], "answers": [1], "span": ["tokens", 2]},
    )


def main(trained: Path, base: Path, output: Path) -> None:
    network, peaks = TrainedNetwork(pickle.loads(trained.read_bytes())), {}
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    pairs = [tokenizer.encode(*pair) for pair in PAIRS]
    exact = [exactly(network, pair.ids, pair.type_ids, peaks) for pair in pairs]
    graph = write(network, peaks)
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    furthest = 0.0
    for pair, (verdict, answers, _) in zip(pairs, exact):
        ids, types = np.array([pair.ids]), np.array([pair.type_ids])
        found = session.run(None, {"input_ids": ids, "token_type_ids": types, "attention_mask": np.ones_like(ids)})
        furthest = max(furthest, np.abs(found[0][0] - verdict).max(), abs(found[1][0, 0] - answers))
    print(f"furthest from 32-bit arithmetic: {furthest:.3f}; {len(graph) / 1e6:.1f} MB", file=sys.stderr)
    if not furthest < 0.15:
        sys.exit("the 8-bit judge differs too much from the exact one")
    output.mkdir(parents=True, exist_ok=True)
    model.put_in_place(output / "judge.int8.onnx", graph)
    shutil.copyfile(base / "tokenizer.json", output / "tokenizer.json")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
