import type { AnnotationClass } from '../../projects/annotations/list-annotation-classes.ts';
import { escapeXml } from './escape-xml.ts';

/** The controls of the set-up by their names, which the regions of the tasks mention. */
export const labelStudioControls = {
  box: { tag: 'RectangleLabels', type: 'rectanglelabels' },
  polygon: { tag: 'PolygonLabels', type: 'polygonlabels' },
  mask: { tag: 'BrushLabels', type: 'brushlabels' },
  point: { tag: 'KeyPointLabels', type: 'keypointlabels' },
} as const;

/** The labelling set-up of a project. */
export function labelStudioConfig(classes: readonly AnnotationClass[]): string {
  const labels = classes.map(
    ({ name, color }) => `    <Label value="${escapeXml(name)}" background="${color}"/>\n`,
  );
  const controls = Object.entries(labelStudioControls).map(
    ([name, { tag }]) =>
      `  <${tag} name="${name}" toName="image">\n${labels.join('')}  </${tag}>\n`,
  );
  const choices = classes.map(({ name }) => `    <Choice value="${escapeXml(name)}"/>\n`);
  return `<View>
  <Image name="image" value="$image"/>
${controls.join('')}  <Choices name="class" toName="image" choice="multiple">
${choices.join('')}  </Choices>
</View>
`;
}
