// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A value that has a length (XML Schema Part 2 section 4.3.1).
protocol XMLMeasured {
    /// `nil` where it is not known yet.
    var xmlLength: Int? { get }
}

extension String: XMLMeasured {
    /// Characters are those of Unicode, not those that are seen.
    var xmlLength: Int? { unicodeScalars.count }
}

extension XMLBinary: XMLMeasured {
    /// An attachment that is read from a stream may have any.
    var xmlLength: Int? { size }
}

extension XMLHexBinary: XMLMeasured {
    var xmlLength: Int? { bytes.count }
}

extension XMLList: XMLMeasured {
    var xmlLength: Int? { count }
}
