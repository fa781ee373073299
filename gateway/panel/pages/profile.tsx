import { Card, Empty, PageHead } from '../look/parts';
import { look, page, type PanelRoute } from '../visit';

export const profilePages: PanelRoute[] = [
  look('/profile', () =>
    page(
      'Your profile',
      <>
        <PageHead title="Your profile" />
        <Card>
          <Empty title="Nothing here yet">
            <p>Nothing is shown here yet.</p>
          </Empty>
        </Card>
      </>,
    ),
  ),
];
