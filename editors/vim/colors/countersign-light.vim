" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors
"
" Ink, brass and sealing wax on paper. Made by scripts/make/editor-colors.

set background=light
highlight clear
if exists('g:syntax_on')
  syntax reset
endif
let g:colors_name = 'countersign-light'

highlight Normal term=NONE ctermfg=235 ctermbg=231 cterm=NONE guifg=#23272f guibg=#fbf8f2 gui=NONE
highlight NormalFloat term=NONE ctermfg=235 ctermbg=255 cterm=NONE guifg=#23272f guibg=#f1ece1 gui=NONE
highlight FloatBorder term=NONE ctermfg=240 ctermbg=255 cterm=NONE guifg=#5d6470 guibg=#f1ece1 gui=NONE
highlight Comment term=italic ctermfg=240 ctermbg=NONE cterm=italic guifg=#5d6470 guibg=NONE gui=italic
highlight SpecialComment term=italic ctermfg=23 ctermbg=NONE cterm=italic guifg=#0e5f6b guibg=NONE gui=italic
highlight Constant term=NONE ctermfg=94 ctermbg=NONE cterm=NONE guifg=#7a4d00 guibg=NONE gui=NONE
highlight String term=NONE ctermfg=22 ctermbg=NONE cterm=NONE guifg=#2b6130 guibg=NONE gui=NONE
highlight Character term=NONE ctermfg=22 ctermbg=NONE cterm=NONE guifg=#2b6130 guibg=NONE gui=NONE
highlight Number term=NONE ctermfg=94 ctermbg=NONE cterm=NONE guifg=#7a4d00 guibg=NONE gui=NONE
highlight Boolean term=NONE ctermfg=94 ctermbg=NONE cterm=NONE guifg=#7a4d00 guibg=NONE gui=NONE
highlight Float term=NONE ctermfg=94 ctermbg=NONE cterm=NONE guifg=#7a4d00 guibg=NONE gui=NONE
highlight Identifier term=NONE ctermfg=23 ctermbg=NONE cterm=NONE guifg=#0e5f6b guibg=NONE gui=NONE
highlight Function term=bold ctermfg=25 ctermbg=NONE cterm=bold guifg=#1a4fa3 guibg=NONE gui=bold
highlight Statement term=bold ctermfg=54 ctermbg=NONE cterm=bold guifg=#6a3596 guibg=NONE gui=bold
highlight Operator term=NONE ctermfg=235 ctermbg=NONE cterm=NONE guifg=#23272f guibg=NONE gui=NONE
highlight PreProc term=NONE ctermfg=54 ctermbg=NONE cterm=NONE guifg=#6a3596 guibg=NONE gui=NONE
highlight Type term=NONE ctermfg=25 ctermbg=NONE cterm=NONE guifg=#1a4fa3 guibg=NONE gui=NONE
highlight Special term=NONE ctermfg=124 ctermbg=NONE cterm=NONE guifg=#a82318 guibg=NONE gui=NONE
highlight SpecialKey term=NONE ctermfg=240 ctermbg=NONE cterm=NONE guifg=#5d6470 guibg=NONE gui=NONE
highlight Delimiter term=NONE ctermfg=239 ctermbg=NONE cterm=NONE guifg=#4b525e guibg=NONE gui=NONE
highlight Tag term=NONE ctermfg=25 ctermbg=NONE cterm=NONE guifg=#1a4fa3 guibg=NONE gui=NONE
highlight Underlined term=underline ctermfg=25 ctermbg=NONE cterm=underline guifg=#1a4fa3 guibg=NONE gui=underline
highlight Ignore term=NONE ctermfg=240 ctermbg=NONE cterm=NONE guifg=#5d6470 guibg=NONE gui=NONE
highlight Error term=reverse ctermfg=124 ctermbg=224 cterm=underline guifg=#a82318 guibg=#fbe1dc gui=underline
highlight Todo term=reverse ctermfg=94 ctermbg=230 cterm=bold guifg=#7a4d00 guibg=#f8e7b4 gui=bold
highlight Title term=bold ctermfg=25 ctermbg=NONE cterm=bold guifg=#1a4fa3 guibg=NONE gui=bold
highlight Directory term=NONE ctermfg=25 ctermbg=NONE cterm=NONE guifg=#1a4fa3 guibg=NONE gui=NONE
highlight Question term=bold ctermfg=22 ctermbg=NONE cterm=bold guifg=#2b6130 guibg=NONE gui=bold
highlight MoreMsg term=bold ctermfg=22 ctermbg=NONE cterm=bold guifg=#2b6130 guibg=NONE gui=bold
highlight ModeMsg term=bold ctermfg=235 ctermbg=NONE cterm=bold guifg=#23272f guibg=NONE gui=bold
highlight ErrorMsg term=bold ctermfg=124 ctermbg=NONE cterm=bold guifg=#a82318 guibg=NONE gui=bold
highlight WarningMsg term=NONE ctermfg=124 ctermbg=NONE cterm=NONE guifg=#a82318 guibg=NONE gui=NONE
highlight LineNr term=NONE ctermfg=240 ctermbg=NONE cterm=NONE guifg=#5d6470 guibg=NONE gui=NONE
highlight CursorLineNr term=bold ctermfg=94 ctermbg=255 cterm=bold guifg=#7a4d00 guibg=#f1ece1 gui=bold
highlight CursorLine term=NONE ctermfg=NONE ctermbg=255 cterm=NONE guifg=NONE guibg=#f1ece1 gui=NONE
highlight CursorColumn term=NONE ctermfg=NONE ctermbg=255 cterm=NONE guifg=NONE guibg=#f1ece1 gui=NONE
highlight ColorColumn term=NONE ctermfg=NONE ctermbg=255 cterm=NONE guifg=NONE guibg=#f1ece1 gui=NONE
highlight SignColumn term=NONE ctermfg=240 ctermbg=231 cterm=NONE guifg=#5d6470 guibg=#fbf8f2 gui=NONE
highlight FoldColumn term=NONE ctermfg=240 ctermbg=231 cterm=NONE guifg=#5d6470 guibg=#fbf8f2 gui=NONE
highlight Folded term=italic ctermfg=239 ctermbg=255 cterm=italic guifg=#4b525e guibg=#f1ece1 gui=italic
highlight NonText term=NONE ctermfg=240 ctermbg=NONE cterm=NONE guifg=#5d6470 guibg=NONE gui=NONE
highlight EndOfBuffer term=NONE ctermfg=240 ctermbg=NONE cterm=NONE guifg=#5d6470 guibg=NONE gui=NONE
highlight Conceal term=NONE ctermfg=240 ctermbg=231 cterm=NONE guifg=#5d6470 guibg=#fbf8f2 gui=NONE
highlight VertSplit term=NONE ctermfg=240 ctermbg=231 cterm=NONE guifg=#5d6470 guibg=#fbf8f2 gui=NONE
highlight WinSeparator term=NONE ctermfg=240 ctermbg=231 cterm=NONE guifg=#5d6470 guibg=#fbf8f2 gui=NONE
highlight StatusLine term=reverse ctermfg=235 ctermbg=254 cterm=bold guifg=#23272f guibg=#e0e4ee gui=bold
highlight StatusLineNC term=NONE ctermfg=239 ctermbg=255 cterm=NONE guifg=#4b525e guibg=#f1ece1 gui=NONE
highlight StatusLineTerm term=reverse ctermfg=22 ctermbg=254 cterm=bold guifg=#2b6130 guibg=#e0e4ee gui=bold
highlight StatusLineTermNC term=NONE ctermfg=239 ctermbg=255 cterm=NONE guifg=#4b525e guibg=#f1ece1 gui=NONE
highlight TabLine term=NONE ctermfg=239 ctermbg=255 cterm=NONE guifg=#4b525e guibg=#f1ece1 gui=NONE
highlight TabLineFill term=NONE ctermfg=239 ctermbg=255 cterm=NONE guifg=#4b525e guibg=#f1ece1 gui=NONE
highlight TabLineSel term=bold ctermfg=235 ctermbg=231 cterm=bold guifg=#23272f guibg=#fbf8f2 gui=bold
highlight ToolbarLine term=NONE ctermfg=235 ctermbg=255 cterm=NONE guifg=#23272f guibg=#f1ece1 gui=NONE
highlight ToolbarButton term=reverse ctermfg=231 ctermbg=25 cterm=bold guifg=#fbf8f2 guibg=#1a4fa3 gui=bold
highlight WildMenu term=reverse ctermfg=231 ctermbg=94 cterm=bold guifg=#fbf8f2 guibg=#7a4d00 gui=bold
highlight WinBar term=bold ctermfg=235 ctermbg=231 cterm=bold guifg=#23272f guibg=#fbf8f2 gui=bold
highlight WinBarNC term=NONE ctermfg=239 ctermbg=231 cterm=NONE guifg=#4b525e guibg=#fbf8f2 gui=NONE
highlight Visual term=reverse ctermfg=NONE ctermbg=254 cterm=NONE guifg=NONE guibg=#e0e4ee gui=NONE
highlight VisualNOS term=reverse ctermfg=NONE ctermbg=254 cterm=NONE guifg=NONE guibg=#e0e4ee gui=NONE
highlight Search term=reverse ctermfg=235 ctermbg=230 cterm=NONE guifg=#23272f guibg=#f8e7b4 gui=NONE
highlight IncSearch term=reverse ctermfg=231 ctermbg=94 cterm=bold guifg=#fbf8f2 guibg=#7a4d00 gui=bold
highlight CurSearch term=reverse ctermfg=231 ctermbg=94 cterm=bold guifg=#fbf8f2 guibg=#7a4d00 gui=bold
highlight QuickFixLine term=reverse ctermfg=NONE ctermbg=254 cterm=NONE guifg=NONE guibg=#e0e4ee gui=NONE
highlight MatchParen term=reverse ctermfg=94 ctermbg=254 cterm=bold guifg=#7a4d00 guibg=#e0e4ee gui=bold
highlight Cursor term=reverse ctermfg=231 ctermbg=235 cterm=NONE guifg=#fbf8f2 guibg=#23272f gui=NONE
highlight lCursor term=reverse ctermfg=231 ctermbg=235 cterm=NONE guifg=#fbf8f2 guibg=#23272f gui=NONE
highlight TermCursor term=reverse ctermfg=231 ctermbg=235 cterm=NONE guifg=#fbf8f2 guibg=#23272f gui=NONE
highlight TermCursorNC term=reverse ctermfg=231 ctermbg=239 cterm=NONE guifg=#fbf8f2 guibg=#4b525e gui=NONE
highlight RedrawDebugClear term=reverse ctermfg=235 ctermbg=230 cterm=NONE guifg=#23272f guibg=#f8e7b4 gui=NONE
highlight RedrawDebugComposed term=NONE ctermfg=235 ctermbg=194 cterm=NONE guifg=#23272f guibg=#dcefdc gui=NONE
highlight RedrawDebugRecompose term=reverse ctermfg=235 ctermbg=224 cterm=NONE guifg=#23272f guibg=#fbe1dc gui=NONE
highlight Pmenu term=NONE ctermfg=235 ctermbg=255 cterm=NONE guifg=#23272f guibg=#f1ece1 gui=NONE
highlight PmenuSel term=reverse ctermfg=231 ctermbg=25 cterm=bold guifg=#fbf8f2 guibg=#1a4fa3 gui=bold
highlight PmenuKind term=NONE ctermfg=239 ctermbg=255 cterm=NONE guifg=#4b525e guibg=#f1ece1 gui=NONE
highlight PmenuKindSel term=reverse ctermfg=231 ctermbg=25 cterm=NONE guifg=#fbf8f2 guibg=#1a4fa3 gui=NONE
highlight PmenuExtra term=NONE ctermfg=239 ctermbg=255 cterm=NONE guifg=#4b525e guibg=#f1ece1 gui=NONE
highlight PmenuExtraSel term=reverse ctermfg=231 ctermbg=25 cterm=NONE guifg=#fbf8f2 guibg=#1a4fa3 gui=NONE
highlight PmenuMatch term=bold ctermfg=94 ctermbg=255 cterm=bold guifg=#7a4d00 guibg=#f1ece1 gui=bold
highlight PmenuMatchSel term=reverse ctermfg=231 ctermbg=25 cterm=bold guifg=#fbf8f2 guibg=#1a4fa3 gui=bold
highlight PmenuSbar term=NONE ctermfg=NONE ctermbg=255 cterm=NONE guifg=NONE guibg=#f1ece1 gui=NONE
highlight PmenuThumb term=NONE ctermfg=NONE ctermbg=240 cterm=NONE guifg=NONE guibg=#5d6470 gui=NONE
highlight Added term=NONE ctermfg=22 ctermbg=NONE cterm=NONE guifg=#2b6130 guibg=NONE gui=NONE
highlight Changed term=NONE ctermfg=94 ctermbg=NONE cterm=NONE guifg=#7a4d00 guibg=NONE gui=NONE
highlight Removed term=NONE ctermfg=124 ctermbg=NONE cterm=NONE guifg=#a82318 guibg=NONE gui=NONE
highlight DiffAdd term=NONE ctermfg=22 ctermbg=194 cterm=NONE guifg=#2b6130 guibg=#dcefdc gui=NONE
highlight DiffChange term=reverse ctermfg=235 ctermbg=230 cterm=NONE guifg=#23272f guibg=#f8e7b4 gui=NONE
highlight DiffDelete term=reverse ctermfg=124 ctermbg=224 cterm=NONE guifg=#a82318 guibg=#fbe1dc gui=NONE
highlight DiffText term=reverse ctermfg=94 ctermbg=230 cterm=bold guifg=#7a4d00 guibg=#f8e7b4 gui=bold
highlight SpellBad term=undercurl ctermfg=124 ctermbg=NONE cterm=undercurl guifg=#a82318 guibg=NONE gui=undercurl guisp=#a82318
highlight SpellCap term=undercurl ctermfg=25 ctermbg=NONE cterm=undercurl guifg=#1a4fa3 guibg=NONE gui=undercurl guisp=#1a4fa3
highlight SpellLocal term=undercurl ctermfg=22 ctermbg=NONE cterm=undercurl guifg=#2b6130 guibg=NONE gui=undercurl guisp=#2b6130
highlight SpellRare term=undercurl ctermfg=54 ctermbg=NONE cterm=undercurl guifg=#6a3596 guibg=NONE gui=undercurl guisp=#6a3596
highlight DiagnosticError term=NONE ctermfg=124 ctermbg=NONE cterm=NONE guifg=#a82318 guibg=NONE gui=NONE
highlight DiagnosticWarn term=NONE ctermfg=94 ctermbg=NONE cterm=NONE guifg=#7a4d00 guibg=NONE gui=NONE
highlight DiagnosticInfo term=NONE ctermfg=25 ctermbg=NONE cterm=NONE guifg=#1a4fa3 guibg=NONE gui=NONE
highlight DiagnosticHint term=NONE ctermfg=23 ctermbg=NONE cterm=NONE guifg=#0e5f6b guibg=NONE gui=NONE
highlight DiagnosticOk term=NONE ctermfg=22 ctermbg=NONE cterm=NONE guifg=#2b6130 guibg=NONE gui=NONE
highlight NvimInternalError term=reverse ctermfg=124 ctermbg=224 cterm=NONE guifg=#a82318 guibg=#fbe1dc gui=NONE
highlight countersignTopKey term=bold ctermfg=54 ctermbg=NONE cterm=bold guifg=#6a3596 guibg=NONE gui=bold
highlight countersignDomain term=bold ctermfg=25 ctermbg=NONE cterm=bold guifg=#1a4fa3 guibg=NONE gui=bold
highlight countersignKey term=NONE ctermfg=23 ctermbg=NONE cterm=NONE guifg=#0e5f6b guibg=NONE gui=NONE
highlight countersignValue term=NONE ctermfg=94 ctermbg=NONE cterm=NONE guifg=#7a4d00 guibg=NONE gui=NONE
highlight countersignWeak term=bold ctermfg=124 ctermbg=NONE cterm=bold guifg=#a82318 guibg=NONE gui=bold
highlight countersignPinKind term=NONE ctermfg=239 ctermbg=NONE cterm=NONE guifg=#4b525e guibg=NONE gui=NONE
highlight countersignDigest term=NONE ctermfg=240 ctermbg=NONE cterm=NONE guifg=#5d6470 guibg=NONE gui=NONE
highlight netrcKeyword term=NONE ctermfg=54 ctermbg=NONE cterm=NONE guifg=#6a3596 guibg=NONE gui=NONE
highlight netrcMachine term=bold ctermfg=25 ctermbg=NONE cterm=bold guifg=#1a4fa3 guibg=NONE gui=bold
highlight netrcDefault term=NONE ctermfg=54 ctermbg=NONE cterm=NONE guifg=#6a3596 guibg=NONE gui=NONE
highlight netrcPassword term=NONE ctermfg=240 ctermbg=NONE cterm=NONE guifg=#5d6470 guibg=NONE gui=NONE
highlight netrcMacro term=NONE ctermfg=239 ctermbg=NONE cterm=NONE guifg=#4b525e guibg=NONE gui=NONE
highlight pemBoundary term=bold ctermfg=25 ctermbg=NONE cterm=bold guifg=#1a4fa3 guibg=NONE gui=bold
highlight pemSecretBoundary term=bold ctermfg=124 ctermbg=NONE cterm=bold guifg=#a82318 guibg=NONE gui=bold
highlight pemBase64 term=NONE ctermfg=240 ctermbg=NONE cterm=NONE guifg=#5d6470 guibg=NONE gui=NONE

let g:terminal_ansi_colors = ['#f1ece1', '#a82318', '#2b6130', '#7a4d00', '#1a4fa3', '#6a3596', '#0e5f6b', '#23272f', '#5d6470', '#a82318', '#2b6130', '#7a4d00', '#1a4fa3', '#6a3596', '#0e5f6b', '#23272f']
let g:terminal_color_0 = '#f1ece1'
let g:terminal_color_1 = '#a82318'
let g:terminal_color_2 = '#2b6130'
let g:terminal_color_3 = '#7a4d00'
let g:terminal_color_4 = '#1a4fa3'
let g:terminal_color_5 = '#6a3596'
let g:terminal_color_6 = '#0e5f6b'
let g:terminal_color_7 = '#23272f'
let g:terminal_color_8 = '#5d6470'
let g:terminal_color_9 = '#a82318'
let g:terminal_color_10 = '#2b6130'
let g:terminal_color_11 = '#7a4d00'
let g:terminal_color_12 = '#1a4fa3'
let g:terminal_color_13 = '#6a3596'
let g:terminal_color_14 = '#0e5f6b'
let g:terminal_color_15 = '#23272f'
