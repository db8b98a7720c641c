#!/usr/bin/env python3
"""Makes blank.ttf: every character is half an em wide and has no ink. Pictures that are compared with kept ones are laid out
with it, so that they do not depend on the fonts of a machine. Needs fonttools."""
import pathlib

from fontTools.fontBuilder import FontBuilder
from fontTools.ttLib import newTable
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from fontTools.ttLib.tables._g_l_y_f import Glyph

UNITS = 1000
builder = FontBuilder(UNITS, isTTF=True)
builder.setupGlyphOrder([".notdef", "blank"])
builder.setupGlyf({".notdef": Glyph(), "blank": Glyph()})
builder.setupHorizontalMetrics({".notdef": (UNITS // 2, 0), "blank": (UNITS // 2, 0)})
builder.setupHorizontalHeader(ascent=800, descent=-200)
builder.setupNameTable({"familyName": "Headscope Blank", "styleName": "Regular"})
builder.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200,
                 ulUnicodeRange1=0xFFFFFFFF, ulUnicodeRange2=0xFFFFFFFF, ulUnicodeRange3=0xFFFFFFFF,
                 ulUnicodeRange4=0x07FFFFFF, ulCodePageRange1=0xFFFFFFFF, ulCodePageRange2=0xFFFFFFFF)
builder.setupPost()
# Every character is the same glyph, which only format 13 can say in a few bytes.
table = CmapSubtable.newSubtable(13)
table.platformID, table.platEncID, table.language = 3, 10, 0
table.cmap = {character: "blank" for character in range(0x20, 0x10000)}
cmap = newTable("cmap")
cmap.tableVersion, cmap.tables = 0, [table]
builder.font["cmap"] = cmap
builder.font["head"].created = builder.font["head"].modified = 3_800_000_000  # the same bytes every time
builder.font.recalcTimestamp = False
builder.font.save(pathlib.Path(__file__).with_name("blank.ttf"))
