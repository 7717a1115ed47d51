// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The types that XML Schema defines (Part 2 section 3), by their names.
package enum BuiltInType: String, CaseIterable, Sendable {
    case anyType, anySimpleType
    case string, normalizedString, token, language
    case name = "Name"
    case ncName = "NCName"
    case nmToken = "NMTOKEN"
    case nmTokens = "NMTOKENS"
    case id = "ID"
    case idReference = "IDREF"
    case idReferences = "IDREFS"
    case entity = "ENTITY"
    case entities = "ENTITIES"
    case boolean, decimal, float, double
    case integer, nonPositiveInteger, negativeInteger, nonNegativeInteger, positiveInteger
    case long, int, short, byte, unsignedLong, unsignedInt, unsignedShort, unsignedByte
    case duration, dateTime, time, date, gYearMonth, gYear, gMonthDay, gDay, gMonth
    case hexBinary, base64Binary, anyURI
    case qName = "QName"
    case notation = "NOTATION"
}

extension BuiltInType {
    /// The bounds that the type adds to those of `integer` (XML Schema Part 2 section 3.3); no facet for other types.
    var bounds: Facets {
        var facets = Facets()
        (facets.minimumInclusive, facets.maximumInclusive) =
            switch self {
            case .nonPositiveInteger: (nil, "0")
            case .negativeInteger: (nil, "-1")
            case .nonNegativeInteger: ("0", nil)
            case .positiveInteger: ("1", nil)
            case .long: ("\(Int64.min)", "\(Int64.max)")
            case .int: ("\(Int32.min)", "\(Int32.max)")
            case .short: ("\(Int16.min)", "\(Int16.max)")
            case .byte: ("\(Int8.min)", "\(Int8.max)")
            case .unsignedLong: ("0", "\(UInt64.max)")
            case .unsignedInt: ("0", "\(UInt32.max)")
            case .unsignedShort: ("0", "\(UInt16.max)")
            case .unsignedByte: ("0", "\(UInt8.max)")
            default: (nil, nil)
            }
        return facets
    }
}
