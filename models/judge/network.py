"""The judge's network: a BERT encoder over "claim or question, passage" with three heads, in JAX.

The heads read what the encoder says about each pair: `verdict` (supports, contradicts, does not address), `answers` (does
the passage answer the question), `span` (where in the passage the answer begins and ends).
"""

import json
import struct
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

VERDICTS = ["supports", "contradicts", "does not address"]


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    table, body = json.loads(raw[8 : 8 + size]), raw[8 + size :]
    found = {}
    for name, entry in table.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            found[name] = np.frombuffer(body[begin:end], "<f4").reshape(entry["shape"])
    return found


def base_parameters(folder: Path, seed: int) -> tuple[dict, int]:
    """The parameters of the sentence encoder in `folder` with new heads, and its number of attention heads."""
    config = json.loads((folder / "config.json").read_text())
    assert config["model_type"] == "bert" and config["hidden_act"] == "gelu"
    weights = read_safetensors(folder / "model.safetensors")

    def linear(*names):
        return {
            "w": np.concatenate([weights[f"{name}.weight"].T for name in names], 1),
            "b": np.concatenate([weights[f"{name}.bias"] for name in names]),
        }

    def norm(name):
        return {"g": weights[f"{name}.LayerNorm.weight"], "b": weights[f"{name}.LayerNorm.bias"]}

    parameters = {
        "words": weights["embeddings.word_embeddings.weight"],
        "positions": weights["embeddings.position_embeddings.weight"],
        "types": weights["embeddings.token_type_embeddings.weight"],
        "norm": norm("embeddings"),
    }
    for number in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{number}."
        parameters[f"layer{number}"] = {
            "qkv": linear(*(f"{at}attention.self.{part}" for part in ("query", "key", "value"))),
            "attended": linear(f"{at}attention.output.dense"),
            "attended norm": norm(f"{at}attention.output"),
            "inner": linear(f"{at}intermediate.dense"),
            "outer": linear(f"{at}output.dense"),
            "outer norm": norm(f"{at}output"),
        }
    width, random = config["hidden_size"], np.random.default_rng(seed)

    def head(inputs, outputs):
        return {"w": random.normal(0, 0.02, (inputs, outputs)).astype("f4"), "b": np.zeros(outputs, "f4")}

    parameters["heads"] = {
        "pool": head(2 * width, width),
        "verdict": head(width, len(VERDICTS)),
        "answers": head(width, 1),
        "span": head(width, 2),
    }
    return parameters, config["num_attention_heads"]


def run(parameters, heads: int, ids, types, mask, key=None, dropout: float = 0.0):
    """Logits of the three heads. With a `key`, parts are dropped as in training."""

    def linear(p, x):
        return x @ p["w"] + p["b"]

    def norm(p, x):
        centred = x - x.mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * p["g"] + p["b"]

    keys = iter(jax.random.split(key, 32)) if key is not None else None

    def drop(x):
        if keys is None:
            return x
        # One 8-bit number for each value is enough, and four times as quick to draw as a 32-bit one.
        kept = jax.random.bits(next(keys), x.shape, jnp.uint8) >= round(dropout * 256)
        return jnp.where(kept, x / (1 - dropout), 0)

    texts, tokens = ids.shape
    x = parameters["words"][ids] + parameters["positions"][:tokens] + parameters["types"][types]
    x = drop(norm(parameters["norm"], x))
    unseen = jnp.where(mask[:, None, None, :] > 0, 0.0, -1e9)
    number = 0
    while (layer := parameters.get(f"layer{number}")) is not None:
        parts = linear(layer["qkv"], x).reshape(texts, tokens, 3, heads, -1)
        query, key_, value = (parts[:, :, part].transpose(0, 2, 1, 3) for part in range(3))
        scores = query @ key_.transpose(0, 1, 3, 2) / np.sqrt(query.shape[-1]).astype("f4") + unseen
        mixed = (jax.nn.softmax(scores) @ value).transpose(0, 2, 1, 3).reshape(texts, tokens, -1)
        x = norm(layer["attended norm"], x + drop(linear(layer["attended"], mixed)))
        inner = jax.nn.gelu(linear(layer["inner"], x), approximate=False)
        x = norm(layer["outer norm"], x + drop(linear(layer["outer"], inner)))
        number += 1
    seen = mask.astype(x.dtype)[:, :, None]
    mean = (x * seen).sum(1) / seen.sum(1)
    head = parameters["heads"]
    pooled = drop(jnp.tanh(linear(head["pool"], jnp.concatenate([x[:, 0], mean], -1))))
    return linear(head["verdict"], pooled), linear(head["answers"], pooled)[:, 0], linear(head["span"], x)
