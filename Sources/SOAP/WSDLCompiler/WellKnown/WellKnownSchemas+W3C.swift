// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension WellKnownSchemas {
    /// XML 1.0 sections 2.10 and 2.12, XML Base, xml:id.
    static let xml = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/XML/1998/namespace">
          <xs:attribute name="lang" type="xs:string"/>
          <xs:attribute name="space">
            <xs:simpleType>
              <xs:restriction base="xs:NCName">
                <xs:enumeration value="default"/>
                <xs:enumeration value="preserve"/>
              </xs:restriction>
            </xs:simpleType>
          </xs:attribute>
          <xs:attribute name="base" type="xs:anyURI"/>
          <xs:attribute name="id" type="xs:ID"/>
          <xs:attributeGroup name="specialAttrs">
            <xs:attribute ref="xml:base"/>
            <xs:attribute ref="xml:lang"/>
            <xs:attribute ref="xml:space"/>
            <xs:attribute ref="xml:id"/>
          </xs:attributeGroup>
        </xs:schema>
        """

    /// Describing Media Content of Binary Data in XML, section 2.
    static func mime(_ namespace: String) -> String {
        """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:m="\(namespace)" targetNamespace="\(namespace)">
          <xs:attribute name="contentType">
            <xs:simpleType>
              <xs:restriction base="xs:string">
                <xs:minLength value="3"/>
              </xs:restriction>
            </xs:simpleType>
          </xs:attribute>
          <xs:attribute name="expectedContentTypes" type="xs:string"/>
          <xs:complexType name="base64Binary">
            <xs:simpleContent>
              <xs:extension base="xs:base64Binary">
                <xs:attribute ref="m:contentType"/>
              </xs:extension>
            </xs:simpleContent>
          </xs:complexType>
          <xs:complexType name="hexBinary">
            <xs:simpleContent>
              <xs:extension base="xs:hexBinary">
                <xs:attribute ref="m:contentType"/>
              </xs:extension>
            </xs:simpleContent>
          </xs:complexType>
        </xs:schema>
        """
    }

    /// XML-binary Optimized Packaging, section 2.1.
    static let xop = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xop="http://www.w3.org/2004/08/xop/include"
            targetNamespace="http://www.w3.org/2004/08/xop/include">
          <xs:element name="Include" type="xop:Include"/>
          <xs:complexType name="Include">
            <xs:sequence>
              <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
            </xs:sequence>
            <xs:attribute name="href" type="xs:anyURI" use="required"/>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
        </xs:schema>
        """

    /// Web Services Addressing 1.0 Core section 2.2, and the submission of 2004, which differ little here.
    static func addressing(_ namespace: String) -> String {
        """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:wsa="\(namespace)" targetNamespace="\(namespace)"
            elementFormDefault="qualified">
          <xs:element name="EndpointReference" type="wsa:EndpointReferenceType"/>
          <xs:complexType name="EndpointReferenceType">
            <xs:sequence>
              <xs:element name="Address" type="wsa:AttributedURIType"/>
              <xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
            </xs:sequence>
            <xs:anyAttribute namespace="##other" processContents="lax"/>
          </xs:complexType>
          <xs:complexType name="AttributedURIType">
            <xs:simpleContent>
              <xs:extension base="xs:anyURI">
                <xs:anyAttribute namespace="##other" processContents="lax"/>
              </xs:extension>
            </xs:simpleContent>
          </xs:complexType>
          <xs:complexType name="AttributedURI">
            <xs:simpleContent>
              <xs:extension base="xs:anyURI">
                <xs:anyAttribute namespace="##other" processContents="lax"/>
              </xs:extension>
            </xs:simpleContent>
          </xs:complexType>
          <xs:complexType name="RelatesToType">
            <xs:simpleContent>
              <xs:extension base="xs:anyURI">
                <xs:attribute name="RelationshipType" type="xs:anyURI"/>
                <xs:anyAttribute namespace="##other" processContents="lax"/>
              </xs:extension>
            </xs:simpleContent>
          </xs:complexType>
          <xs:element name="MessageID" type="wsa:AttributedURIType"/>
          <xs:element name="RelatesTo" type="wsa:RelatesToType"/>
          <xs:element name="To" type="wsa:AttributedURIType"/>
          <xs:element name="Action" type="wsa:AttributedURIType"/>
          <xs:element name="From" type="wsa:EndpointReferenceType"/>
          <xs:element name="ReplyTo" type="wsa:EndpointReferenceType"/>
          <xs:element name="FaultTo" type="wsa:EndpointReferenceType"/>
        </xs:schema>
        """
    }
}
