// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The colours of a picture, for bright and for dark pages, and fonts that every system has.
enum TrustPictureStyle {
    static let css = """
        <style>
        text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, monospace; fill: #1f2328; }
        .title { font-size: 16px; font-weight: 600; }
        .name { font-weight: 600; font-size: 13px; }
        .small { font-size: 10px; }
        .page { fill: #ffffff; }
        .dim { fill: #59636e; }
        .good { fill: #1a7f37; }
        .bad { fill: #cf222e; }
        .box { fill: #f6f8fa; stroke: #8c959f; stroke-width: 1.5; }
        .box.trusted { fill: #dafbe1; stroke: #1a7f37; }
        .box.failed { fill: #ffebe9; stroke: #cf222e; }
        .link { fill: none; stroke: #8c959f; stroke-width: 1.5; }
        .link.trusted { stroke: #1a7f37; stroke-width: 2.5; }
        .link.failed { stroke: #cf222e; stroke-dasharray: 5 4; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; }
          .page { fill: #0d1117; }
          .dim { fill: #9198a1; }
          .good { fill: #3fb950; }
          .bad { fill: #f85149; }
          .box { fill: #161b22; stroke: #6e7681; }
          .box.trusted { fill: #12261e; stroke: #3fb950; }
          .box.failed { fill: #25171c; stroke: #f85149; }
          .link { stroke: #6e7681; }
          .link.trusted { stroke: #3fb950; }
          .link.failed { stroke: #f85149; }
        }
        </style>
        """
}
