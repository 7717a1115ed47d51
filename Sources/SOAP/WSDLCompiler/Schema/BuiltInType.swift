// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import XMLDocuments
import XMLValues

/// The built-in types of XML Schema (Part 2 section 3), by name.
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
    /// Returns the built-in type for a name in the XML Schema namespace, or for an equivalent name in the namespace
    /// of a SOAP encoding.
    init?(_ name: XMLName) {
        guard name.namespace == KnownNamespaces.schema || KnownNamespaces.isEncoding(name.namespace) else { return nil }
        if let type = BuiltInType(rawValue: name.local) {
            self = type
            return
        }
        switch name.local {
        // Names from the drafts of 1999 and 2000, and from SOAP 1.1.
        case "timeInstant": self = .dateTime
        case "timeDuration": self = .duration
        case "uriReference", "uri": self = .anyURI
        case "binary", "base64": self = .base64Binary
        case "ur-type", "Struct": self = .anyType
        case "recurringDate": self = .gMonthDay
        case "CDATA": self = .normalizedString
        // Types that XML Schema 1.1 adds, replaced by types of version 1.0.
        case "dateTimeStamp": self = .dateTime
        case "dayTimeDuration", "yearMonthDuration": self = .duration
        case "anyAtomicType": self = .anySimpleType
        default: return nil
        }
    }

    /// Whether the values are numbers in JSON.
    var isNumber: Bool {
        switch self {
        case .decimal, .float, .double, .integer, .nonPositiveInteger, .negativeInteger, .nonNegativeInteger,
            .positiveInteger, .long, .int, .short, .byte, .unsignedLong, .unsignedInt, .unsignedShort, .unsignedByte:
            true
        default: false
        }
    }

    /// The type with which generated code reads and writes the values; for numbers, one that retains their text.
    var valueType: any XMLSimpleType.Type {
        switch self {
        case .boolean: Bool.self
        case .float: Float.self
        case .double: Double.self
        case .duration: XMLDuration.self
        case .dateTime: XMLDateTime.self
        case .time: XMLTime.self
        case .date: XMLDate.self
        case .gYearMonth: XMLYearMonth.self
        case .gYear: XMLYear.self
        case .gMonthDay: XMLMonthDay.self
        case .gDay: XMLDay.self
        case .gMonth: XMLMonth.self
        case .hexBinary: XMLHexBinary.self
        case .base64Binary: XMLBinary.self
        case .qName: XMLName.self
        default: isNumber ? XMLDecimalText.self : String.self
        }
    }

    /// The default whitespace handling (XML Schema Part 2 section 4.3.6).
    var whiteSpace: XMLWhiteSpace {
        switch self {
        case .string, .anySimpleType, .anyType: .preserve
        case .normalizedString: .replace
        default: .collapse
        }
    }

    /// The bounds that the type adds to `integer` (XML Schema Part 2 section 3.3); no facets for other types.
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
