// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The Swift type of a value.
indirect enum SwiftType: Hashable, Sendable {
    /// A type of Swift or of the runtime.
    case library(String)
    /// The declaration with this number in ``GenerationPlan/declarations``.
    case declared(Int)
    /// A simple list.
    case list(SwiftType)
    /// A SOAP-encoded array.
    case soapArray(SwiftType)

    /// Creates the Swift type of an XML Schema type.
    init(_ type: BuiltInType) {
        self =
            switch type {
            case .anyType: .library("XMLAnyValue")
            case .nmTokens, .idReferences, .entities: .list(.library("String"))
            case .decimal: .library("Decimal")
            case .integer, .nonPositiveInteger, .negativeInteger, .nonNegativeInteger, .positiveInteger: .library("Int")
            case .long: .library("Int64")
            case .int: .library("Int32")
            case .short: .library("Int16")
            case .byte: .library("Int8")
            case .unsignedLong: .library("UInt64")
            case .unsignedInt: .library("UInt32")
            case .unsignedShort: .library("UInt16")
            case .unsignedByte: .library("UInt8")
            default: .library("\(type.valueType)")
            }
    }

    /// The type for content of any kind.
    static let anyValue = SwiftType.library("XMLAnyValue")
    static let string = SwiftType.library("String")
}
