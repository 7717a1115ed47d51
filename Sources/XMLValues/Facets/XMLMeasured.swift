// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A value that has a length (XML Schema Part 2 section 4.3.1).
protocol XMLMeasured {
    var xmlLength: Int { get }
}

extension String: XMLMeasured {
    /// Characters are those of Unicode, not those that are seen.
    var xmlLength: Int { unicodeScalars.count }
}

extension XMLBinary: XMLMeasured {
    var xmlLength: Int { size ?? 0 }
}

extension XMLHexBinary: XMLMeasured {
    var xmlLength: Int { bytes.count }
}

extension XMLList: XMLMeasured {
    var xmlLength: Int { count }
}
