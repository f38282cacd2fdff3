"""Writes a BERT sentence encoder as an ONNX graph with 8-bit weights: model.py FOLDER OUTPUT.

FOLDER holds config.json, vocab.txt and model.safetensors. The graph takes `input_ids` and `attention_mask` (any number
of texts, any length) and gives `sentence_embedding`: the mean over the tokens, of length one. It is built of ONNX
Runtime's fused operators. Before the file is put in place it is compared with the same network computed in plain
32-bit arithmetic. The same input gives the same bytes.
"""

import json
import math
import os
import re
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

# Sample sentences, for two purposes: to see which channels of the network carry far larger numbers than the others,
# and to compare the result with the exact computation.
SAMPLES = """\
The committee met on 12 March 1987 and agreed, by seven votes to two, that the report should be published in full.
Enzymes lower the activation energy of a reaction; most of them are proteins, and some are built of RNA.
How do I reset the password of my account?
In the second experiment (n = 48) the difference was smaller, and it vanished once age was controlled for.
A bridge of stone crosses the river near the old mill, where the road turns north towards the mountains.
def area(width, height): return width * height  # both in metres
Interest rates rose by 0.25 percentage points, while unemployment stayed at 4.1 % for the third month in a row.
She had never heard a violin played like that, and for a long time after the last note nobody in the hall moved.
The court held that the clause was void because it left the buyer without any remedy whatsoever.
Neural networks with residual connections can be trained at depths that were out of reach before.
Boil the potatoes for twenty minutes, drain them, add butter and salt, and mash until smooth.
Who wrote the first textbook on the theory of probability, and in which year was it printed?
weather
The spacecraft entered orbit around the planet after a journey of seven years and sent back its first pictures the \
same evening; they showed a surface of ridges and plains, cut by channels which, as the team wrote in its first paper, \
"can hardly be explained without a liquid", although what that liquid might have been, and when it flowed, was left \
open until the radar measurements of the following spring.""".splitlines()


class Weights:
    """The tensors of a safetensors file."""

    def __init__(self, path: Path):
        raw = path.read_bytes()
        (size,) = struct.unpack("<Q", raw[:8])
        self.table, self.body = json.loads(raw[8 : 8 + size]), raw[8 + size :]

    def __getitem__(self, name: str) -> np.ndarray:
        begin, end = self.table[name]["data_offsets"]
        assert self.table[name]["dtype"] == "F32", name
        return np.frombuffer(self.body[begin:end], "<f4").reshape(self.table[name]["shape"])


class Network:
    """The weights in the order they are used, matrices as inputs x outputs."""

    def __init__(self, folder: Path):
        config = json.loads((folder / "config.json").read_text())
        assert config["model_type"] == "bert" and config["hidden_act"] == "gelu"
        weights = Weights(folder / "model.safetensors")
        self.heads, self.epsilon = config["num_attention_heads"], config["layer_norm_eps"]
        self.width = config["hidden_size"]
        table = "embeddings.{}_embeddings.weight".format
        self.words = weights[table("word")]
        # All tokens are of the first type: its vector can be part of the positions.
        self.positions = weights[table("position")] + weights[table("token_type")][0]
        self.norm = weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"]
        self.layers = []
        for number in range(config["num_hidden_layers"]):
            at = f"encoder.layer.{number}."

            def linear(*names):
                matrices = [weights[f"{at}{name}.weight"].T for name in names]
                biases = [weights[f"{at}{name}.bias"] for name in names]
                return np.concatenate(matrices, 1), np.concatenate(biases)

            def norm(name):
                return weights[f"{at}{name}.LayerNorm.weight"], weights[f"{at}{name}.LayerNorm.bias"]

            self.layers.append(
                {
                    "qkv": linear("attention.self.query", "attention.self.key", "attention.self.value"),
                    "attended": linear("attention.output.dense"),
                    "attended norm": norm("attention.output"),
                    "inner": linear("intermediate.dense"),
                    "outer": linear("output.dense"),
                    "outer norm": norm("output"),
                }
            )


def tokens(vocabulary: dict[str, int], text: str) -> list[int]:
    """WordPiece of plain English, which is all that the samples are."""
    found = [vocabulary["[CLS]"]]
    for word in re.findall(r"[a-z0-9]+|[^\w\s]", text.lower()):
        start = 0
        while start < len(word):
            end, prefix = len(word), "##" if start else ""
            while prefix + word[start:end] not in vocabulary:
                end -= 1
            found.append(vocabulary[prefix + word[start:end]])
            start = end
    return [*found, vocabulary["[SEP]"]]


erf = np.vectorize(math.erf, otypes=[np.float32])


def exact_states(network: Network, ids: list[int], peaks: dict, types: list[int] | None = None) -> np.ndarray:
    """What the last layer says of each token in 32-bit arithmetic; `peaks` keeps the largest input of each channel."""

    def norm(x, parameters):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + network.epsilon) * parameters[0] + parameters[1]

    x = network.words[ids] + network.positions[: len(ids)]
    if types is not None:
        x = x + network.types[types]
    x = norm(x, network.norm)
    for number, layer in enumerate(network.layers):

        def linear(name, x):
            peaks[number, name] = np.maximum(peaks.get((number, name), 0), np.abs(x).max(0))
            return x @ layer[name][0] + layer[name][1]

        parts = linear("qkv", x).reshape(len(ids), 3, network.heads, -1).transpose(1, 2, 0, 3)
        scores = parts[0] @ parts[1].transpose(0, 2, 1) / math.sqrt(parts.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ parts[2]
        attended = linear("attended", mixed.transpose(1, 0, 2).reshape(len(ids), -1))
        x = norm(x + attended, layer["attended norm"])
        inner = linear("inner", x)
        x = norm(x + linear("outer", inner * 0.5 * (1 + erf(inner / math.sqrt(2)))), layer["outer norm"])
    return x


def exact_embedding(network: Network, ids: list[int], peaks: dict) -> np.ndarray:
    mean = exact_states(network, ids, peaks).mean(0)
    return mean / np.linalg.norm(mean)


class Graph:
    """Collects operators and constants."""

    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def add(self, kind: str, inputs: list[str], outputs: int | str = 1, fused: bool = False, **attributes):
        if isinstance(outputs, str):
            names = [outputs]
        else:
            names = [f"{kind}_{len(self.nodes)}_{number}" for number in range(outputs)]
        domain = "com.microsoft" if fused else ""
        self.nodes.append(helper.make_node(kind, inputs, names, domain=domain, **attributes))
        return names[0] if len(names) == 1 else names


def in_8_bits(matrix: np.ndarray, axis: int, top: int) -> tuple[np.ndarray, np.ndarray]:
    """Integers of at most `top` and the scale of each row (axis 1) or column (axis 0)."""
    scale = np.abs(matrix).max(axis, keepdims=True) / top
    return np.rint(matrix / scale).astype(np.int8), scale.reshape(-1).astype(np.float32)


# Processors without VNNI add two products of unsigned and signed bytes in 16 bits: with 7 bits they never overflow.
WEIGHT_TOP = 63


def write_encoder(graph: Graph, network: Network, peaks: dict, types: str | None = None) -> str:
    """Adds all layers, and returns the name of what the last one says of each token. `types` names an input that tells
    the first text of a pair from the second."""

    def norm(name, x, skip, parameters):
        gamma, beta = graph.constant(f"{name}.gamma", parameters[0]), graph.constant(f"{name}.beta", parameters[1])
        # Not `Add`: ONNX Runtime would fuse the two into an operator that takes four times as long.
        return graph.add("LayerNormalization", [graph.add("Sum", [x, skip]), gamma, beta], epsilon=network.epsilon)

    def quantised(number, name, x):
        """The input and the constants of a product with 8-bit weights."""
        matrix, bias = network.layers[number][name]
        label, peak = f"{number}.{name}", peaks[number, name]
        # A few channels are many times larger than the rest, and would take the resolution from it: they are scaled
        # down, and their rows of the matrix up. What attention gives has no such channels.
        if name != "attended":
            scale = np.maximum(1, (peak / np.percentile(peak, 99)) ** 0.7).astype(np.float32)
            x = graph.add("Mul", [x, graph.constant(f"{label}.shrink", 1 / scale)])
            matrix = matrix * scale[:, None]
        integers, scales = in_8_bits(matrix, 0, WEIGHT_TOP)
        constants = {"weight": integers, "scale": scales, "bias": bias}
        return x, *(graph.constant(f"{label}.{part}", value) for part, value in constants.items())

    def linear(number, name, x):
        x, weight, scale, bias = quantised(number, name, x)
        return graph.add("DynamicQuantizeMatMul", [x, weight, scale, "", bias], fused=True)

    def attention(number, x):
        x, weight, weight_scale, bias = quantised(number, "qkv", x)
        x, scale, zero_point = graph.add("DynamicQuantizeLinear", [x], outputs=3)
        middle = graph.constant("middle", np.int8(0))
        inputs = [x, weight, bias, scale, weight_scale, lengths, zero_point, middle]
        return graph.add("QAttention", inputs, fused=True, num_heads=network.heads)

    ids, mask = "input_ids", "attention_mask"
    one = graph.constant("one", np.array([1], np.int64))
    lengths = graph.add("Cast", [graph.add("ReduceSum", [mask, one], keepdims=0)], to=TensorProto.INT32)

    integers, scales = in_8_bits(network.words, 1, 127)
    rows = graph.add("Cast", [graph.add("Gather", [graph.constant("words", integers), ids])], to=TensorProto.FLOAT)
    row_scales = graph.add("Unsqueeze", [graph.add("Gather", [graph.constant("words.scale", scales), ids]),
                                         graph.constant("last", np.array([-1], np.int64))])
    words = graph.add("Mul", [rows, row_scales])
    longest = graph.add("Shape", [ids], start=1)
    zero = graph.constant("zero", np.array([0], np.int64))
    positions = graph.add("Slice", [graph.constant("positions", network.positions), zero, longest, zero])
    gamma, beta = graph.constant("words.gamma", network.norm[0]), graph.constant("words.beta", network.norm[1])
    summed = graph.add("Add", [words, positions])
    if types is not None:
        summed = graph.add("Add", [summed, graph.add("Gather", [graph.constant("types", network.types), types])])
    x = graph.add("LayerNormalization", [summed, gamma, beta], axis=-1, epsilon=network.epsilon)

    for number, layer in enumerate(network.layers):
        mixed = linear(number, "attended", attention(number, x))
        x = norm(f"{number}.attended", mixed, x, layer["attended norm"])
        inner = graph.add("Gelu", [linear(number, "inner", x)], fused=True)
        x = norm(f"{number}.outer", linear(number, "outer", inner), x, layer["outer norm"])
    return x


def sum_of_tokens(graph: Graph, x: str) -> str:
    """The sum over the tokens of each text, without those that only fill up."""
    one = graph.constant("one", np.array([1], np.int64))
    weights = graph.add("Unsqueeze", [graph.add("Cast", ["attention_mask"], to=TensorProto.FLOAT), one])
    return graph.add("Squeeze", [graph.add("MatMul", [weights, x]), one])


def finish(graph: Graph, name: str, inputs: list[str], outputs: dict[str, list]) -> bytes:
    """The bytes of the model. Inputs are whole numbers, one for each token of each text."""

    def face(name, kind, sizes):
        return helper.make_tensor_value_info(name, kind, ["texts", *sizes])

    built = helper.make_graph(
        graph.nodes,
        name,
        [face(name, TensorProto.INT64, ["tokens"]) for name in inputs],
        [face(name, TensorProto.FLOAT, sizes) for name, sizes in outputs.items()],
        list(graph.constants.values()),
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(built, opset_imports=opsets, ir_version=9, producer_name="ibid")
    return model.SerializeToString(deterministic=True)


def write(network: Network, peaks: dict) -> bytes:
    graph = Graph()
    total = sum_of_tokens(graph, write_encoder(graph, network, peaks))
    graph.add("LpNormalization", [total], outputs="sentence_embedding", axis=-1, p=2)
    return finish(graph, "sentence_encoder", ["input_ids", "attention_mask"], {"sentence_embedding": [network.width]})


def put_in_place(output: Path, model: bytes) -> None:
    unfinished = output.with_name(output.name + ".new")
    unfinished.write_bytes(model)
    os.replace(unfinished, output)


def main(folder: Path, output: Path) -> None:
    network = Network(folder)
    words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    vocabulary = {word: number for number, word in enumerate(words)}
    texts, peaks = [tokens(vocabulary, text) for text in SAMPLES], {}
    exact = [exact_embedding(network, ids, peaks) for ids in texts]
    model = write(network, peaks)

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    widest = max(map(len, texts))
    ids = np.array([text + [0] * (widest - len(text)) for text in texts], np.int64)
    (found,) = session.run(None, {"input_ids": ids, "attention_mask": (ids != 0).astype(np.int64)})
    cosines = (found * np.stack(exact)).sum(1)
    print(f"cosine to 32-bit arithmetic: mean {cosines.mean():.4f}, least {cosines.min():.4f}", file=sys.stderr)
    if not cosines.min() > 0.99:
        sys.exit("the 8-bit model differs too much from the exact one")
    put_in_place(output, model)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
