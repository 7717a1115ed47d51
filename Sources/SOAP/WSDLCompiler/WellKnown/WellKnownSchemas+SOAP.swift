// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension WellKnownSchemas {
    /// SOAP 1.1 section 5, SOAP 1.2 Part 2 section 3.
    ///
    /// Its simple types are those of XML Schema, which the reader takes in their place.
    static func encoding(_ namespace: String) -> String {
        let elements = BuiltInType.allCases.filter { $0 != .anyType && $0 != .anySimpleType }
            .map { "<xs:element name=\"\($0.rawValue)\" type=\"xs:\($0.rawValue)\"/>" }.joined()
        return """
            <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:e="\(namespace)" targetNamespace="\(namespace)">
              \(elements)
              <xs:element name="Array" type="e:Array"/>
              <xs:element name="Struct" type="xs:anyType"/>
              <xs:complexType name="Array">
                <xs:sequence>
                  <xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
                </xs:sequence>
                <xs:attributeGroup ref="e:arrayAttributes"/>
                <xs:attributeGroup ref="e:commonAttributes"/>
              </xs:complexType>
              <xs:attribute name="arrayType" type="xs:string"/>
              <xs:attribute name="offset" type="xs:string"/>
              <xs:attribute name="position" type="xs:string"/>
              <xs:attribute name="root" type="xs:boolean"/>
              <xs:attribute name="itemType" type="xs:QName"/>
              <xs:attribute name="arraySize" type="xs:string"/>
              <xs:attribute name="nodeType" type="xs:string"/>
              <xs:attributeGroup name="commonAttributes">
                <xs:attribute name="id" type="xs:ID"/>
                <xs:attribute name="href" type="xs:anyURI"/>
                <xs:anyAttribute namespace="##other" processContents="lax"/>
              </xs:attributeGroup>
              <xs:attributeGroup name="arrayAttributes">
                <xs:attribute ref="e:arrayType"/>
                <xs:attribute ref="e:offset"/>
              </xs:attributeGroup>
            </xs:schema>
            """
    }

    /// SOAP 1.1 section 4; the content of faults and envelopes is any.
    static let soap11Envelope = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"
            targetNamespace="http://schemas.xmlsoap.org/soap/envelope/">
          <xs:element name="Envelope" type="xs:anyType"/>
          <xs:element name="Header" type="xs:anyType"/>
          <xs:element name="Body" type="xs:anyType"/>
          <xs:element name="Fault" type="s:Fault"/>
          <xs:complexType name="Fault">
            <xs:sequence>
              <xs:element name="faultcode" type="xs:QName"/>
              <xs:element name="faultstring" type="xs:string"/>
              <xs:element name="faultactor" type="xs:anyURI" minOccurs="0"/>
              <xs:element name="detail" type="xs:anyType" minOccurs="0"/>
            </xs:sequence>
          </xs:complexType>
          <xs:attribute name="mustUnderstand" type="xs:boolean"/>
          <xs:attribute name="actor" type="xs:anyURI"/>
          <xs:attribute name="encodingStyle" type="xs:anyURI"/>
        </xs:schema>
        """

    /// SOAP 1.2 Part 1 section 5; the content of headers, bodies and details is any.
    static let soap12Envelope = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:s="http://www.w3.org/2003/05/soap-envelope"
            targetNamespace="http://www.w3.org/2003/05/soap-envelope" elementFormDefault="qualified">
          <xs:element name="Envelope" type="s:Envelope"/>
          <xs:complexType name="Envelope">
            <xs:sequence>
              <xs:element ref="s:Header" minOccurs="0"/>
              <xs:element ref="s:Body"/>
            </xs:sequence>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
          <xs:element name="Header" type="s:Header"/>
          <xs:complexType name="Header">
            <xs:sequence>
              <xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
            </xs:sequence>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
          <xs:element name="Body" type="s:Body"/>
          <xs:complexType name="Body">
            <xs:sequence>
              <xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
            </xs:sequence>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
          <xs:element name="Fault" type="s:Fault"/>
          <xs:complexType name="Fault">
            <xs:sequence>
              <xs:element name="Code" type="s:faultcode"/>
              <xs:element name="Reason" type="s:faultreason"/>
              <xs:element name="Node" type="xs:anyURI" minOccurs="0"/>
              <xs:element name="Role" type="xs:anyURI" minOccurs="0"/>
              <xs:element name="Detail" type="s:detail" minOccurs="0"/>
            </xs:sequence>
          </xs:complexType>
          <xs:complexType name="faultcode">
            <xs:sequence>
              <xs:element name="Value" type="xs:QName"/>
              <xs:element name="Subcode" type="s:subcode" minOccurs="0"/>
            </xs:sequence>
          </xs:complexType>
          <xs:complexType name="subcode">
            <xs:sequence>
              <xs:element name="Value" type="xs:QName"/>
              <xs:element name="Subcode" type="s:subcode" minOccurs="0"/>
            </xs:sequence>
          </xs:complexType>
          <xs:complexType name="faultreason">
            <xs:sequence>
              <xs:element name="Text" type="s:reasontext" maxOccurs="unbounded"/>
            </xs:sequence>
          </xs:complexType>
          <xs:complexType name="reasontext">
            <xs:simpleContent>
              <xs:extension base="xs:string">
                <xs:attribute ref="xml:lang" use="required"/>
              </xs:extension>
            </xs:simpleContent>
          </xs:complexType>
          <xs:complexType name="detail">
            <xs:sequence>
              <xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
            </xs:sequence>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
          <xs:attribute name="mustUnderstand" type="xs:boolean"/>
          <xs:attribute name="role" type="xs:anyURI"/>
          <xs:attribute name="relay" type="xs:boolean"/>
          <xs:attribute name="encodingStyle" type="xs:anyURI"/>
        </xs:schema>
        """
}
