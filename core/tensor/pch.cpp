// Holds the precompiled header that all torch modules share; see headscope_use_torch_pch.
