"""nanoGPT's model (github.com/karpathy/nanoGPT) without dropout and biases, in PyTorch's own layers and under its names."""
import math

import torch
from torch import nn
from torch.nn import functional


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return functional.layer_norm(x, self.weight.shape, self.weight)


class Attention(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.heads, self.later = heads, torch.ones(context, context, dtype=torch.bool).triu(1)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.c_attn(x).split(width, 2))
        scores = q @ k.transpose(2, 3) * (1 / math.sqrt(width // self.heads))
        shares = scores.masked_fill(self.later, -math.inf).softmax(3)
        return self.c_proj((shares @ v).transpose(1, 2).reshape(x.shape))


class Perceptron(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.c_fc, self.c_proj = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        return self.c_proj(functional.gelu(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.ln_1, self.attn = Norm(width), Attention(width, heads, context)
        self.ln_2, self.mlp = Norm(width), Perceptron(width)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    """Gives the loss."""

    def __init__(self, symbols, layers, heads, width, context):
        super().__init__()
        parts = {"wte": nn.Embedding(symbols, width), "wpe": nn.Embedding(context, width),
                 "h": nn.ModuleList(Block(width, heads, context) for _ in range(layers)), "ln_f": Norm(width)}
        self.transformer = nn.ModuleDict(parts)
        self.lm_head = nn.Linear(width, symbols, bias=False)
        self.lm_head.weight = parts["wte"].weight

    def forward(self, symbols, labels):
        x = self.transformer.wte(symbols) + self.transformer.wpe.weight
        for block in self.transformer.h:
            x = block(x)
        scores = self.lm_head(self.transformer.ln_f(x))
        return functional.cross_entropy(scores.flatten(0, 1), labels.flatten())

    def adamw(self, decay, betas=(0.9, 0.99)):
        """Decays matrices alone, as nanoGPT does."""
        parameters = list(self.parameters())
        return torch.optim.AdamW([{"params": [p for p in parameters if p.dim() > 1], "weight_decay": decay},
                                  {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0}],
                                 lr=1e-3, betas=betas)
