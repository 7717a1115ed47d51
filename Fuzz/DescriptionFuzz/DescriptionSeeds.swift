// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Descriptions that use many parts of WSDL and XML Schema.
enum DescriptionSeeds {
    static let all: [[UInt8]] = [description(style: "document"), description(style: "rpc")].map { Array($0.utf8) }

    private static func description(style: String) -> String {
        let part = style == "rpc" ? "type=\"t:A\"" : "element=\"t:e\""
        return """
            <definitions name="S" targetNamespace="urn:t" xmlns="http://schemas.xmlsoap.org/wsdl/" \
            xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t" xmlns:x="http://www.w3.org/2001/XMLSchema">
            <types><x:schema targetNamespace="urn:t" elementFormDefault="qualified">\(schema)</x:schema></types>
            <message name="m"><part name="p" \(part)/></message>
            <portType name="P"><operation name="o"><documentation>Text.</documentation><input message="t:m"/>\
            <output message="t:m"/><fault name="f" message="t:m"/></operation></portType>
            <binding name="B" type="t:P"><s:binding style="\(style)" transport="http://schemas.xmlsoap.org/soap/http"/>\
            <operation name="o"><s:operation soapAction="a"/><input><s:body use="literal" namespace="urn:t"/></input>\
            <output><s:body use="literal" namespace="urn:t"/></output></operation></binding>
            <service name="S"><port name="P" binding="t:B"><s:address location="http://localhost/"/></port></service>
            </definitions>
            """
    }

    private static let schema = """
        <x:simpleType name="C"><x:restriction base="x:string"><x:enumeration value="a"/><x:enumeration value=""/>\
        </x:restriction></x:simpleType>
        <x:simpleType name="N"><x:restriction base="x:decimal"><x:minInclusive value="0.5"/><x:totalDigits value="5"/>\
        </x:restriction></x:simpleType>
        <x:simpleType name="P"><x:restriction base="x:token"><x:pattern value="[A-Z]{2}\\d+"/><x:maxLength value="9"/>\
        </x:restriction></x:simpleType>
        <x:simpleType name="L"><x:list itemType="t:C"/></x:simpleType>
        <x:simpleType name="U"><x:union memberTypes="t:N t:C"/></x:simpleType>
        <x:complexType name="A" abstract="true"><x:sequence><x:element name="next" type="t:A" minOccurs="0"/>\
        <x:group ref="t:g" maxOccurs="3"/></x:sequence><x:attributeGroup ref="t:ag"/></x:complexType>
        <x:complexType name="D"><x:complexContent><x:extension base="t:A"><x:choice maxOccurs="unbounded">\
        <x:element name="l" type="t:L" nillable="true"/><x:sequence><x:element name="u" type="t:U"/>\
        <x:any namespace="##other" processContents="lax"/></x:sequence></x:choice></x:extension></x:complexContent>\
        </x:complexType>
        <x:complexType name="V"><x:simpleContent><x:extension base="t:P"><x:anyAttribute/></x:extension>\
        </x:simpleContent></x:complexType>
        <x:group name="g"><x:choice><x:element ref="t:h"/><x:element name="v" type="t:V"/></x:choice></x:group>
        <x:attributeGroup name="ag"><x:attribute name="a" type="x:int" default="3"/><x:attribute name="b" use="required"/>\
        </x:attributeGroup>
        <x:element name="h" type="x:string" abstract="true"/><x:element name="i" type="x:string" substitutionGroup="t:h"/>
        <x:element name="e"><x:complexType mixed="true"><x:all><x:element name="d" type="t:A" minOccurs="0"/>\
        <x:element name="x" type="x:anyType"/></x:all></x:complexType></x:element>
        """
}
