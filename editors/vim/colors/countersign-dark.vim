" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors
"
" Ink, brass and sealing wax on slate. Made by scripts/make/editor-colors.

set background=dark
highlight clear
if exists('g:syntax_on')
  syntax reset
endif
let g:colors_name = 'countersign-dark'

highlight Normal term=NONE ctermfg=254 ctermbg=234 cterm=NONE guifg=#dbe0e8 guibg=#14181f gui=NONE
highlight NormalFloat term=NONE ctermfg=254 ctermbg=236 cterm=NONE guifg=#dbe0e8 guibg=#1e242e gui=NONE
highlight FloatBorder term=NONE ctermfg=248 ctermbg=236 cterm=NONE guifg=#98a2b2 guibg=#1e242e gui=NONE
highlight Comment term=italic ctermfg=248 ctermbg=NONE cterm=italic guifg=#98a2b2 guibg=NONE gui=italic
highlight SpecialComment term=italic ctermfg=116 ctermbg=NONE cterm=italic guifg=#86cbd3 guibg=NONE gui=italic
highlight Constant term=NONE ctermfg=179 ctermbg=NONE cterm=NONE guifg=#e7bd6b guibg=NONE gui=NONE
highlight String term=NONE ctermfg=114 ctermbg=NONE cterm=NONE guifg=#9bcf9a guibg=NONE gui=NONE
highlight Character term=NONE ctermfg=114 ctermbg=NONE cterm=NONE guifg=#9bcf9a guibg=NONE gui=NONE
highlight Number term=NONE ctermfg=179 ctermbg=NONE cterm=NONE guifg=#e7bd6b guibg=NONE gui=NONE
highlight Boolean term=NONE ctermfg=179 ctermbg=NONE cterm=NONE guifg=#e7bd6b guibg=NONE gui=NONE
highlight Float term=NONE ctermfg=179 ctermbg=NONE cterm=NONE guifg=#e7bd6b guibg=NONE gui=NONE
highlight Identifier term=NONE ctermfg=116 ctermbg=NONE cterm=NONE guifg=#86cbd3 guibg=NONE gui=NONE
highlight Function term=bold ctermfg=111 ctermbg=NONE cterm=bold guifg=#8ab8ff guibg=NONE gui=bold
highlight Statement term=bold ctermfg=183 ctermbg=NONE cterm=bold guifg=#cdaef5 guibg=NONE gui=bold
highlight Operator term=NONE ctermfg=254 ctermbg=NONE cterm=NONE guifg=#dbe0e8 guibg=NONE gui=NONE
highlight PreProc term=NONE ctermfg=183 ctermbg=NONE cterm=NONE guifg=#cdaef5 guibg=NONE gui=NONE
highlight Type term=NONE ctermfg=111 ctermbg=NONE cterm=NONE guifg=#8ab8ff guibg=NONE gui=NONE
highlight Special term=NONE ctermfg=210 ctermbg=NONE cterm=NONE guifg=#ff9485 guibg=NONE gui=NONE
highlight SpecialKey term=NONE ctermfg=248 ctermbg=NONE cterm=NONE guifg=#98a2b2 guibg=NONE gui=NONE
highlight Delimiter term=NONE ctermfg=250 ctermbg=NONE cterm=NONE guifg=#b1b9c6 guibg=NONE gui=NONE
highlight Tag term=NONE ctermfg=111 ctermbg=NONE cterm=NONE guifg=#8ab8ff guibg=NONE gui=NONE
highlight Underlined term=underline ctermfg=111 ctermbg=NONE cterm=underline guifg=#8ab8ff guibg=NONE gui=underline
highlight Ignore term=NONE ctermfg=248 ctermbg=NONE cterm=NONE guifg=#98a2b2 guibg=NONE gui=NONE
highlight Error term=reverse ctermfg=210 ctermbg=235 cterm=underline guifg=#ff9485 guibg=#3d1f22 gui=underline
highlight Todo term=reverse ctermfg=179 ctermbg=237 cterm=bold guifg=#e7bd6b guibg=#3a2f14 gui=bold
highlight Title term=bold ctermfg=111 ctermbg=NONE cterm=bold guifg=#8ab8ff guibg=NONE gui=bold
highlight Directory term=NONE ctermfg=111 ctermbg=NONE cterm=NONE guifg=#8ab8ff guibg=NONE gui=NONE
highlight Question term=bold ctermfg=114 ctermbg=NONE cterm=bold guifg=#9bcf9a guibg=NONE gui=bold
highlight MoreMsg term=bold ctermfg=114 ctermbg=NONE cterm=bold guifg=#9bcf9a guibg=NONE gui=bold
highlight ModeMsg term=bold ctermfg=254 ctermbg=NONE cterm=bold guifg=#dbe0e8 guibg=NONE gui=bold
highlight ErrorMsg term=bold ctermfg=210 ctermbg=NONE cterm=bold guifg=#ff9485 guibg=NONE gui=bold
highlight WarningMsg term=NONE ctermfg=210 ctermbg=NONE cterm=NONE guifg=#ff9485 guibg=NONE gui=NONE
highlight LineNr term=NONE ctermfg=248 ctermbg=NONE cterm=NONE guifg=#98a2b2 guibg=NONE gui=NONE
highlight CursorLineNr term=bold ctermfg=179 ctermbg=236 cterm=bold guifg=#e7bd6b guibg=#1e242e gui=bold
highlight CursorLine term=NONE ctermfg=NONE ctermbg=236 cterm=NONE guifg=NONE guibg=#1e242e gui=NONE
highlight CursorColumn term=NONE ctermfg=NONE ctermbg=236 cterm=NONE guifg=NONE guibg=#1e242e gui=NONE
highlight ColorColumn term=NONE ctermfg=NONE ctermbg=236 cterm=NONE guifg=NONE guibg=#1e242e gui=NONE
highlight SignColumn term=NONE ctermfg=248 ctermbg=234 cterm=NONE guifg=#98a2b2 guibg=#14181f gui=NONE
highlight FoldColumn term=NONE ctermfg=248 ctermbg=234 cterm=NONE guifg=#98a2b2 guibg=#14181f gui=NONE
highlight Folded term=italic ctermfg=250 ctermbg=236 cterm=italic guifg=#b1b9c6 guibg=#1e242e gui=italic
highlight NonText term=NONE ctermfg=248 ctermbg=NONE cterm=NONE guifg=#98a2b2 guibg=NONE gui=NONE
highlight EndOfBuffer term=NONE ctermfg=248 ctermbg=NONE cterm=NONE guifg=#98a2b2 guibg=NONE gui=NONE
highlight Conceal term=NONE ctermfg=248 ctermbg=234 cterm=NONE guifg=#98a2b2 guibg=#14181f gui=NONE
highlight VertSplit term=NONE ctermfg=248 ctermbg=234 cterm=NONE guifg=#98a2b2 guibg=#14181f gui=NONE
highlight WinSeparator term=NONE ctermfg=248 ctermbg=234 cterm=NONE guifg=#98a2b2 guibg=#14181f gui=NONE
highlight StatusLine term=reverse ctermfg=254 ctermbg=237 cterm=bold guifg=#dbe0e8 guibg=#2b3544 gui=bold
highlight StatusLineNC term=NONE ctermfg=250 ctermbg=236 cterm=NONE guifg=#b1b9c6 guibg=#1e242e gui=NONE
highlight StatusLineTerm term=reverse ctermfg=114 ctermbg=237 cterm=bold guifg=#9bcf9a guibg=#2b3544 gui=bold
highlight StatusLineTermNC term=NONE ctermfg=250 ctermbg=236 cterm=NONE guifg=#b1b9c6 guibg=#1e242e gui=NONE
highlight TabLine term=NONE ctermfg=250 ctermbg=236 cterm=NONE guifg=#b1b9c6 guibg=#1e242e gui=NONE
highlight TabLineFill term=NONE ctermfg=250 ctermbg=236 cterm=NONE guifg=#b1b9c6 guibg=#1e242e gui=NONE
highlight TabLineSel term=bold ctermfg=254 ctermbg=234 cterm=bold guifg=#dbe0e8 guibg=#14181f gui=bold
highlight ToolbarLine term=NONE ctermfg=254 ctermbg=236 cterm=NONE guifg=#dbe0e8 guibg=#1e242e gui=NONE
highlight ToolbarButton term=reverse ctermfg=234 ctermbg=111 cterm=bold guifg=#14181f guibg=#8ab8ff gui=bold
highlight WildMenu term=reverse ctermfg=234 ctermbg=179 cterm=bold guifg=#14181f guibg=#e7bd6b gui=bold
highlight WinBar term=bold ctermfg=254 ctermbg=234 cterm=bold guifg=#dbe0e8 guibg=#14181f gui=bold
highlight WinBarNC term=NONE ctermfg=250 ctermbg=234 cterm=NONE guifg=#b1b9c6 guibg=#14181f gui=NONE
highlight Visual term=reverse ctermfg=NONE ctermbg=237 cterm=NONE guifg=NONE guibg=#2b3544 gui=NONE
highlight VisualNOS term=reverse ctermfg=NONE ctermbg=237 cterm=NONE guifg=NONE guibg=#2b3544 gui=NONE
highlight Search term=reverse ctermfg=254 ctermbg=237 cterm=NONE guifg=#dbe0e8 guibg=#3a2f14 gui=NONE
highlight IncSearch term=reverse ctermfg=234 ctermbg=179 cterm=bold guifg=#14181f guibg=#e7bd6b gui=bold
highlight CurSearch term=reverse ctermfg=234 ctermbg=179 cterm=bold guifg=#14181f guibg=#e7bd6b gui=bold
highlight QuickFixLine term=reverse ctermfg=NONE ctermbg=237 cterm=NONE guifg=NONE guibg=#2b3544 gui=NONE
highlight MatchParen term=reverse ctermfg=179 ctermbg=237 cterm=bold guifg=#e7bd6b guibg=#2b3544 gui=bold
highlight Cursor term=reverse ctermfg=234 ctermbg=254 cterm=NONE guifg=#14181f guibg=#dbe0e8 gui=NONE
highlight lCursor term=reverse ctermfg=234 ctermbg=254 cterm=NONE guifg=#14181f guibg=#dbe0e8 gui=NONE
highlight TermCursor term=reverse ctermfg=234 ctermbg=254 cterm=NONE guifg=#14181f guibg=#dbe0e8 gui=NONE
highlight TermCursorNC term=reverse ctermfg=234 ctermbg=250 cterm=NONE guifg=#14181f guibg=#b1b9c6 gui=NONE
highlight RedrawDebugClear term=reverse ctermfg=254 ctermbg=237 cterm=NONE guifg=#dbe0e8 guibg=#3a2f14 gui=NONE
highlight RedrawDebugComposed term=NONE ctermfg=254 ctermbg=236 cterm=NONE guifg=#dbe0e8 guibg=#1b3326 gui=NONE
highlight RedrawDebugRecompose term=reverse ctermfg=254 ctermbg=235 cterm=NONE guifg=#dbe0e8 guibg=#3d1f22 gui=NONE
highlight Pmenu term=NONE ctermfg=254 ctermbg=236 cterm=NONE guifg=#dbe0e8 guibg=#1e242e gui=NONE
highlight PmenuSel term=reverse ctermfg=234 ctermbg=111 cterm=bold guifg=#14181f guibg=#8ab8ff gui=bold
highlight PmenuKind term=NONE ctermfg=250 ctermbg=236 cterm=NONE guifg=#b1b9c6 guibg=#1e242e gui=NONE
highlight PmenuKindSel term=reverse ctermfg=234 ctermbg=111 cterm=NONE guifg=#14181f guibg=#8ab8ff gui=NONE
highlight PmenuExtra term=NONE ctermfg=250 ctermbg=236 cterm=NONE guifg=#b1b9c6 guibg=#1e242e gui=NONE
highlight PmenuExtraSel term=reverse ctermfg=234 ctermbg=111 cterm=NONE guifg=#14181f guibg=#8ab8ff gui=NONE
highlight PmenuMatch term=bold ctermfg=179 ctermbg=236 cterm=bold guifg=#e7bd6b guibg=#1e242e gui=bold
highlight PmenuMatchSel term=reverse ctermfg=234 ctermbg=111 cterm=bold guifg=#14181f guibg=#8ab8ff gui=bold
highlight PmenuSbar term=NONE ctermfg=NONE ctermbg=236 cterm=NONE guifg=NONE guibg=#1e242e gui=NONE
highlight PmenuThumb term=NONE ctermfg=NONE ctermbg=248 cterm=NONE guifg=NONE guibg=#98a2b2 gui=NONE
highlight Added term=NONE ctermfg=114 ctermbg=NONE cterm=NONE guifg=#9bcf9a guibg=NONE gui=NONE
highlight Changed term=NONE ctermfg=179 ctermbg=NONE cterm=NONE guifg=#e7bd6b guibg=NONE gui=NONE
highlight Removed term=NONE ctermfg=210 ctermbg=NONE cterm=NONE guifg=#ff9485 guibg=NONE gui=NONE
highlight DiffAdd term=NONE ctermfg=114 ctermbg=236 cterm=NONE guifg=#9bcf9a guibg=#1b3326 gui=NONE
highlight DiffChange term=reverse ctermfg=254 ctermbg=237 cterm=NONE guifg=#dbe0e8 guibg=#3a2f14 gui=NONE
highlight DiffDelete term=reverse ctermfg=210 ctermbg=235 cterm=NONE guifg=#ff9485 guibg=#3d1f22 gui=NONE
highlight DiffText term=reverse ctermfg=179 ctermbg=237 cterm=bold guifg=#e7bd6b guibg=#3a2f14 gui=bold
highlight SpellBad term=undercurl ctermfg=210 ctermbg=NONE cterm=undercurl guifg=#ff9485 guibg=NONE gui=undercurl guisp=#ff9485
highlight SpellCap term=undercurl ctermfg=111 ctermbg=NONE cterm=undercurl guifg=#8ab8ff guibg=NONE gui=undercurl guisp=#8ab8ff
highlight SpellLocal term=undercurl ctermfg=114 ctermbg=NONE cterm=undercurl guifg=#9bcf9a guibg=NONE gui=undercurl guisp=#9bcf9a
highlight SpellRare term=undercurl ctermfg=183 ctermbg=NONE cterm=undercurl guifg=#cdaef5 guibg=NONE gui=undercurl guisp=#cdaef5
highlight DiagnosticError term=NONE ctermfg=210 ctermbg=NONE cterm=NONE guifg=#ff9485 guibg=NONE gui=NONE
highlight DiagnosticWarn term=NONE ctermfg=179 ctermbg=NONE cterm=NONE guifg=#e7bd6b guibg=NONE gui=NONE
highlight DiagnosticInfo term=NONE ctermfg=111 ctermbg=NONE cterm=NONE guifg=#8ab8ff guibg=NONE gui=NONE
highlight DiagnosticHint term=NONE ctermfg=116 ctermbg=NONE cterm=NONE guifg=#86cbd3 guibg=NONE gui=NONE
highlight DiagnosticOk term=NONE ctermfg=114 ctermbg=NONE cterm=NONE guifg=#9bcf9a guibg=NONE gui=NONE
highlight NvimInternalError term=reverse ctermfg=210 ctermbg=235 cterm=NONE guifg=#ff9485 guibg=#3d1f22 gui=NONE
highlight countersignTopKey term=bold ctermfg=183 ctermbg=NONE cterm=bold guifg=#cdaef5 guibg=NONE gui=bold
highlight countersignDomain term=bold ctermfg=111 ctermbg=NONE cterm=bold guifg=#8ab8ff guibg=NONE gui=bold
highlight countersignKey term=NONE ctermfg=116 ctermbg=NONE cterm=NONE guifg=#86cbd3 guibg=NONE gui=NONE
highlight countersignValue term=NONE ctermfg=179 ctermbg=NONE cterm=NONE guifg=#e7bd6b guibg=NONE gui=NONE
highlight countersignWeak term=bold ctermfg=210 ctermbg=NONE cterm=bold guifg=#ff9485 guibg=NONE gui=bold
highlight countersignPinKind term=NONE ctermfg=250 ctermbg=NONE cterm=NONE guifg=#b1b9c6 guibg=NONE gui=NONE
highlight countersignDigest term=NONE ctermfg=248 ctermbg=NONE cterm=NONE guifg=#98a2b2 guibg=NONE gui=NONE
highlight netrcKeyword term=NONE ctermfg=183 ctermbg=NONE cterm=NONE guifg=#cdaef5 guibg=NONE gui=NONE
highlight netrcMachine term=bold ctermfg=111 ctermbg=NONE cterm=bold guifg=#8ab8ff guibg=NONE gui=bold
highlight netrcDefault term=NONE ctermfg=183 ctermbg=NONE cterm=NONE guifg=#cdaef5 guibg=NONE gui=NONE
highlight netrcPassword term=NONE ctermfg=248 ctermbg=NONE cterm=NONE guifg=#98a2b2 guibg=NONE gui=NONE
highlight netrcMacro term=NONE ctermfg=250 ctermbg=NONE cterm=NONE guifg=#b1b9c6 guibg=NONE gui=NONE
highlight pemBoundary term=bold ctermfg=111 ctermbg=NONE cterm=bold guifg=#8ab8ff guibg=NONE gui=bold
highlight pemSecretBoundary term=bold ctermfg=210 ctermbg=NONE cterm=bold guifg=#ff9485 guibg=NONE gui=bold
highlight pemBase64 term=NONE ctermfg=248 ctermbg=NONE cterm=NONE guifg=#98a2b2 guibg=NONE gui=NONE

let g:terminal_ansi_colors = ['#1e242e', '#ff9485', '#9bcf9a', '#e7bd6b', '#8ab8ff', '#cdaef5', '#86cbd3', '#dbe0e8', '#98a2b2', '#ff9485', '#9bcf9a', '#e7bd6b', '#8ab8ff', '#cdaef5', '#86cbd3', '#dbe0e8']
let g:terminal_color_0 = '#1e242e'
let g:terminal_color_1 = '#ff9485'
let g:terminal_color_2 = '#9bcf9a'
let g:terminal_color_3 = '#e7bd6b'
let g:terminal_color_4 = '#8ab8ff'
let g:terminal_color_5 = '#cdaef5'
let g:terminal_color_6 = '#86cbd3'
let g:terminal_color_7 = '#dbe0e8'
let g:terminal_color_8 = '#98a2b2'
let g:terminal_color_9 = '#ff9485'
let g:terminal_color_10 = '#9bcf9a'
let g:terminal_color_11 = '#e7bd6b'
let g:terminal_color_12 = '#8ab8ff'
let g:terminal_color_13 = '#cdaef5'
let g:terminal_color_14 = '#86cbd3'
let g:terminal_color_15 = '#dbe0e8'
