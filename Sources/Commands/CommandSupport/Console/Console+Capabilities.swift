// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Console {
    /// Whether standard output is painted: on a terminal that obeys escape sequences, unless `NO_COLOR` has a value (no-color.org).
    package var usesColor: Bool { outputIsTerminal && obeysEscapes && (environment["NO_COLOR"] ?? "").isEmpty }

    /// Whether standard error shows a bar that is drawn over and over: on a terminal that obeys escape sequences.
    package var showsProgress: Bool { errorIsTerminal && obeysEscapes }

    /// How long the lines of standard output may be, in columns; `nil` where that does not matter.
    package var outputWidth: Int? { givenWidth ?? (outputIsTerminal ? outputColumns() ?? Self.usualWidth : nil) }

    /// How long the lines of standard error may be, in columns; `nil` where that does not matter.
    package var errorWidth: Int? { givenWidth ?? (errorIsTerminal ? errorColumns() ?? Self.usualWidth : nil) }

    /// Terminals that know no escape sequences call themselves `dumb`, or have no name.
    private var obeysEscapes: Bool { !["", "dumb"].contains(environment["TERM"] ?? "") }

    /// `COLUMNS`, which tells more than the terminal does (POSIX.1-2017 section 8.3).
    private var givenWidth: Int? {
        environment["COLUMNS"].flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
    }

    private static let usualWidth = 80
}
