// The only file of the libraries that hold precompiled headers: see headscope_precompile().
