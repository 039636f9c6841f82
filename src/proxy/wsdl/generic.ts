import type { XmlElement } from '#xml';
import { make, wsdl11, schemaNamespace } from './names.ts';

/** Namespace of descriptions that we make ourselves; the original's. */
const targetNamespace = 'http://ws.apache.org/axis2';

/** The WSDL 1.1 of a service without one: an operation `mediate` that takes and gives anything (runtime-core 1.2). */
export function genericDescription(service: string): XmlElement {
  const message = (name: string): XmlElement =>
    make(['wsdl', wsdl11, 'message'], { name }, [
      make(['wsdl', wsdl11, 'part'], { name: 'parameters', type: 'xs:anyType' }),
    ]);
  const direction = (local: string, name: string): XmlElement =>
    make(['wsdl', wsdl11, local], { message: `tns:${name}` });
  const root = make(['wsdl', wsdl11, 'definitions'], { name: service, targetNamespace }, [
    message('mediateRequest'),
    message('mediateResponse'),
    make(['wsdl', wsdl11, 'portType'], { name: `${service}PortType` }, [
      make(['wsdl', wsdl11, 'operation'], { name: 'mediate' }, [
        direction('input', 'mediateRequest'),
        direction('output', 'mediateResponse'),
      ]),
    ]),
  ]);
  root.declarations.push(
    { prefix: 'wsdl', uri: wsdl11 },
    { prefix: 'tns', uri: targetNamespace },
    { prefix: 'xs', uri: schemaNamespace },
  );
  return root;
}
