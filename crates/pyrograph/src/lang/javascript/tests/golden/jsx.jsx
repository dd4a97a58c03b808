const Page = ({ title, html, url, items }) => <div id="a" title={title} hidden>
  <p dangerouslySetInnerHTML={{ __html: html }} />
  <span dangerouslySetInnerHTML={markup} />
  <a href={url} {...items}>text {title}</a>
  <Widget url={url}><>{title}</></Widget>
  <ns.Part.Item a={<b />} {...items} />
  <img src="constant.png" />
  {items.map(item => <li key={item}>{item}</li>)}
</div>;
