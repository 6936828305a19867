"""Tensors of a result's .safetensors, as NumPy's arrays by name."""
import json
import struct

import numpy as np

TYPES = {"F32": np.float32, "I64": np.int64, "U8": np.uint8}


def tensors_in(path):
    with open(path, "rb") as file:
        data = file.read()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:begin]).items():
        first, last = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin + first:begin + last], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors
